// How a program under test is started: with what it gets from the test's own environment, which is
// where to find things and nothing that would set it, and for a life of seconds.
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const MAIN = join(import.meta.dirname, '../../packages/server/src/main.ts');

export const inherited = (): NodeJS.ProcessEnv => {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
};

/**
 * The server's program with these words, for node. The embedded store is WebAssembly: the program
 * ends before optimising it pays.
 */
export const serverProgram = (words: readonly string[]): string[] => [
  '--liftoff-only',
  MAIN,
  ...words,
];

/**
 * Compiles the server's sources for all programs that share a cache. They would not do it for each
 * other: who is killed leaves nothing behind. One that ends by itself does.
 */
export async function compileServer(): Promise<void> {
  const { NODE_COMPILE_CACHE: cache } = process.env;
  const mark = join(cache ?? '', 'server-is-compiled');
  if (!cache || existsSync(mark)) return;
  await promisify(execFile)(process.execPath, serverProgram(['help']), { env: inherited() });
  writeFileSync(mark, '');
}
