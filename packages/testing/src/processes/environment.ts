// The environment and flags of a program under test. It inherits paths but no settings from the
// test's own environment, and its flags suit a life of seconds.
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { backupProgramIn, bundleServer, entryIn, importsIn } from './server-bundle.ts';

const SOURCES = join(import.meta.dirname, '../../../server/src');

export const inherited = (): NodeJS.ProcessEnv => {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
};

/** The embedded store is WebAssembly: the program ends before optimising it pays off. */
const FLAGS = ['--liftoff-only', '--wasm-lazy-validation'];

/** Node arguments for a command of the server. */
export const serverProgram = (words: readonly string[], main = mainOfRun()): string[] => [
  ...FLAGS,
  main,
  ...words,
];

/** Node arguments for the program that takes and tests backups. */
export const backupProgram = (): string[] => [
  ...FLAGS,
  ofRun(backupProgramIn, 'backup-program.ts'),
];

const mainOfRun = (): string => ofRun(entryIn, 'main.ts');

/** The file in the bundle of this run, or the source. */
function ofRun(bundledIn: (folder: string) => string, source: string): string {
  const bundled = bundledIn(process.env.NODE_COMPILE_CACHE ?? '');
  return existsSync(bundled) ? bundled : join(SOURCES, source);
}

/**
 * Bundles the server for all programs of this run of the tests, and compiles it into the cache that
 * they share. Killed programs write no cache; one that exits by itself does.
 */
export async function compileServer(): Promise<void> {
  const { NODE_COMPILE_CACHE: cache } = process.env;
  const mark = join(cache ?? '', 'server-is-compiled');
  if (!cache || existsSync(mark)) return;
  await mkdir(cache, { recursive: true });
  await bundleServer(cache);
  const script = ['--input-type=module', '--eval', importsIn(cache)];
  await promisify(execFile)(process.execPath, [...FLAGS, ...script], { env: inherited() });
  writeFileSync(mark, '');
}
