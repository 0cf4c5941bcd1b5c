// The environment and flags of a program under test. It inherits paths but no settings from the
// test's own environment, and its flags suit a life of seconds.
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SOURCES = join(import.meta.dirname, '../../../server/src');
const MAIN = join(SOURCES, 'main.ts');
/** The modules that commands and stores import when they are used. */
const LAZY = ['start.ts', 'db/embedded.ts', 'volatile/redis.ts'];

export const inherited = (): NodeJS.ProcessEnv => {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
};

/** The embedded store is WebAssembly: the program ends before optimising it pays off. */
const FLAGS = ['--liftoff-only'];

/** Node arguments for a command of the server. */
export const serverProgram = (words: readonly string[]): string[] => [...FLAGS, MAIN, ...words];

/**
 * Compiles the server's sources into the cache that all programs share. Killed programs write no
 * cache; one that exits by itself does.
 */
export async function compileServer(): Promise<void> {
  const { NODE_COMPILE_CACHE: cache } = process.env;
  const mark = join(cache ?? '', 'server-is-compiled');
  if (!cache || existsSync(mark)) return;
  const imports = LAZY.map((path) => `import ${JSON.stringify(join(SOURCES, path))};`).join('');
  const script = ['--input-type=module', '--eval', imports];
  await promisify(execFile)(process.execPath, [...FLAGS, ...script], { env: inherited() });
  writeFileSync(mark, '');
}
