/** The sources that the static laws read, and the form in which they complain. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lexSql, lexTypeScript, type Views } from './lexer.ts';

export type Source = Views & { path: string; text: string };
export type Fault = { path: string; line: number; says: string };

const root = join(import.meta.dirname, '..', '..');
const PLACES = '{packages/*/src,tests,scripts,bench}';

/** Every source of ours, or those whose name ends in one of the given ways. */
export function sources(endings: string[]): Source[] {
  const found = globSync(`${PLACES}/**/*.{${endings.join(',')}}`, {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name === 'dist',
  });
  return found.sort().map((path) => source(path, readFileSync(join(root, path), 'utf8')));
}

export function source(path: string, text: string): Source {
  return { path, text, ...(path.endsWith('.sql') ? lexSql(text) : lexTypeScript(text)) };
}

export const isTest = (path: string) => path.startsWith('tests/') || path.endsWith('.test.ts');

/** One complaint a line, for an assertion that expects none. */
export const list = (faults: Fault[]) =>
  faults.map(({ path, line, says }) => `${path}:${line}: ${says}`);
