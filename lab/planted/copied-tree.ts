// A copy of the working tree in a scratch directory, where a patch can be applied. Installed
// packages are symbolic links; this repository's own packages are copies.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const root = join(import.meta.dirname, '../..');
const OWN = '@keyrail';
const OUTPUT_BYTES_MAX = 64 * 1_048_576;

export type CopiedTree = {
  path: string;
  /** Throws if the patch does not apply. */
  apply(patch: string): void;
  revert(patch: string): void;
  remove(): void;
};

export function copyTree(): CopiedTree {
  const path = mkdtempSync(join(tmpdir(), 'kr-planted-'));
  const git = (...words: string[]) => run('git', words, path);
  const listed = run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], root);
  for (const file of listed.split('\0').filter((name) => existsSync(join(root, name)))) {
    if (file === '') continue;
    mkdirSync(dirname(join(path, file)), { recursive: true });
    cpSync(join(root, file), join(path, file));
  }
  linkPackages(path);
  // Makes the copy its own repository. Otherwise git would apply patches to the enclosing
  // repository.
  git('init', '--quiet');
  return {
    path,
    apply: (patch) => void git('apply', '--whitespace=nowarn', patch),
    revert: (patch) => void git('apply', '--whitespace=nowarn', '--reverse', patch),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

function linkPackages(path: string): void {
  const modules = join(path, 'node_modules');
  mkdirSync(join(modules, OWN), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== OWN) symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  for (const name of readdirSync(join(root, 'packages'))) {
    symlinkSync(join(path, 'packages', name), join(modules, OWN, name));
    for (const made of ['dist', 'node_modules']) {
      const from = join(root, 'packages', name, made);
      const to = join(path, 'packages', name, made);
      if (existsSync(from) && !existsSync(to)) symlinkSync(from, to);
    }
  }
}

function run(command: string, words: string[], cwd: string): string {
  const ran = spawnSync(command, words, { cwd, encoding: 'utf8', maxBuffer: OUTPUT_BYTES_MAX });
  if (ran.status !== 0) throw new Error(`${command} ${words.join(' ')}: ${ran.stderr}`);
  return ran.stdout;
}
