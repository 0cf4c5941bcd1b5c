// `npm ci --omit=dev` installs everything that `npm start` and `npm run example` load.
import { deepEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { importsOf } from './imports.ts';
import { isTest, type Source, sources } from './tree.ts';

const root = join(import.meta.dirname, '..', '..');

/**
 * Files that the first start builds or runs: sources, scripts, the command line, and the example in
 * the README.
 */
const LOADED = [
  'packages/{server,protocol,reference,dashboard,widget,client,cli,sdk}/{src,bin}',
  'scripts',
  'examples',
];
const SCRIPTS = /^scripts\/(setup[\w-]*|build-(browser|database|packages)|widget-options)\.mjs$/;
const EXAMPLE = /^examples\/(node-http|ledger|settings)\.ts$/;

type Locked = { dev?: boolean; devOptional?: boolean };
const locked: Record<string, Locked> = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
).packages;

const isLoaded = ({ path }: Source): boolean =>
  !isTest(path) &&
  !/\/testing\//.test(path) &&
  (path.startsWith('packages/') || SCRIPTS.test(path) || EXAMPLE.test(path));

/** Returns the package that an import refers to; null for our own files and Node.js modules. */
function packageOf(specifier: string): string | null {
  if (/^(\.|node:|@keyrail\/)/.test(specifier)) return null;
  return /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? null;
}

/** Returns what an import in a file resolves to, following Node.js's search order. */
function lockedFor(path: string, name: string): Locked | undefined {
  const [, home = ''] = /^(packages\/[^/]+)\//.exec(path) ?? [];
  return locked[`${home}/node_modules/${name}`] ?? locked[`node_modules/${name}`];
}

test('npm start does not load any development dependencies', () => {
  const all = sources(['ts', 'tsx', 'mjs'], `{${LOADED.join(',')}}`).filter(isLoaded);
  const imported = all.flatMap((source) =>
    importsOf(source)
      .filter(({ typeOnly }) => !typeOnly)
      .flatMap(({ specifier }) => packageOf(specifier) ?? [])
      .map((name) => ({ path: source.path, name })),
  );
  const names = new Set(imported.map(({ name }) => name));
  for (const name of ['esbuild', 'fastify', 'preact', 'react', 'zod']) {
    ok(names.has(name), `${name} was found`);
  }
  const missing = imported.filter(({ path, name }) => {
    const found = lockedFor(path, name);
    return !found || found.dev || found.devOptional;
  });
  deepEqual(missing, []);
});
