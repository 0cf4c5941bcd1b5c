// Which files the Dockerfile copies, and which ones .dockerignore excludes from the build.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root } from '@keyrail/testing/documents.ts';

type Instruction = { name: string; rest: string; stage: number };

type Copy = { fromStage: boolean; sources: string[]; target: string; stage: number };

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

function instructionsOf(text: string): Instruction[] {
  const lines = text.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\\\n\s*/g, '');
  let stage = -1;
  return lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
      if (name === 'FROM') stage += 1;
      return { name, rest, stage };
    });
}

export const dockerfile = (): Instruction[] => instructionsOf(read('Dockerfile'));

/** Returns the value of the last instruction with this name, which is the one in effect. */
export const lastOf = (name: string): string =>
  dockerfile().findLast((one) => one.name === name)?.rest ?? '';

export const copies = (): Copy[] =>
  dockerfile()
    .filter(({ name }) => name === 'COPY')
    .map(({ rest, stage }) => {
      const words = rest.split(/\s+/);
      const paths = words.filter((word) => !word.startsWith('--'));
      const [target = ''] = paths.slice(-1);
      return { fromStage: words.length > paths.length, sources: paths.slice(0, -1), target, stage };
    });

/**
 * Checks whether .dockerignore excludes a path. As in Docker, the last pattern that matches the
 * path or a folder above it decides.
 */
export function isIgnored(path: string, text = read('.dockerignore')): boolean {
  const parts = path.split('/');
  const paths = parts.map((_, at) => parts.slice(0, at + 1).join('/'));
  let ignored = false;
  for (const line of text.split('\n')) {
    const pattern = line.trim();
    if (pattern === '' || pattern.startsWith('#')) continue;
    const isException = pattern.startsWith('!');
    const shape = shapeOf(isException ? pattern.slice(1) : pattern);
    if (paths.some((one) => shape.test(one))) ignored = !isException;
  }
  return ignored;
}

function shapeOf(pattern: string): RegExp {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  const source = escaped
    .replaceAll('**/', '\0')
    .replaceAll('*', '[^/]*')
    .replaceAll('\0', '(?:.*/)?');
  return new RegExp(`^${source}$`);
}

/** Lists every file below a path in the clone that is part of the build context. */
export function filesBelow(path: string): string[] {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found && !isIgnored(path) ? [path] : [];
  if (/(^|\/)(node_modules|dist)$/.test(path)) return [];
  return readdirSync(join(root, path)).flatMap((name) => filesBelow(posix.join(path, name)));
}

/**
 * Returns the clone's files that the Dockerfile copies into a stage, by their paths in the stage's
 * folder.
 */
export const copiedInto = (stage: number): string[] =>
  copies()
    .filter((copy) => copy.stage === stage && !copy.fromStage)
    .flatMap(({ sources }) => sources.flatMap(filesBelow));
