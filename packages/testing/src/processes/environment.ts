// The environment and flags of a program under test. It inherits paths but no settings from the
// test's own environment, and the flags suit a program that runs for only a few seconds.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../documents.ts';
import { mainIn } from './server-program.ts';

export const inherited = (): NodeJS.ProcessEnv => {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
};

/** The embedded store is WebAssembly, and the program exits before optimising it pays off. */
const FLAGS = ['--liftoff-only', '--wasm-lazy-validation'];

let found: string | undefined;

/**
 * The file that keyrail-server.js would run: the built program, or the sources if they have
 * changed.
 */
function serverMain(): string {
  found ??= mainIn(root);
  return found;
}

/** Node.js arguments for a server command. */
export const serverProgram = (words: readonly string[], main = serverMain()): string[] => [
  ...FLAGS,
  main,
  ...words,
];

/** Node.js arguments for the program that creates and tests backups. */
export const backupProgram = (): string[] => {
  const main = serverMain();
  const isBuilt = extname(main) === '.js';
  const path = isBuilt ? 'task-program.js' : 'backup/task-program.ts';
  return [...FLAGS, join(dirname(main), path)];
};

/**
 * Fills the compile cache that the programs in this test run share. Node.js writes the cache only
 * when a program exits normally, and servers under test are often killed.
 */
export async function compileServer(): Promise<void> {
  const { NODE_COMPILE_CACHE: cache } = process.env;
  const mark = join(cache ?? '', 'server-is-compiled');
  if (!cache || existsSync(mark)) return;
  await mkdir(cache, { recursive: true });
  const script = ['--input-type=module', '--eval', importsOfProgram()];
  await promisify(execFile)(process.execPath, [...FLAGS, ...script], { env: inherited() });
  writeFileSync(mark, '');
}

/**
 * A script that imports every file of the built program, except those that run something when
 * imported.
 */
function importsOfProgram(): string {
  const folder = dirname(serverMain());
  const files = readdirSync(folder).filter((name) => /-[A-Z0-9]{8}\.js$/.test(name));
  return files.map((name) => `import ${JSON.stringify(join(folder, name))};`).join('');
}
