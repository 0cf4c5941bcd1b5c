// The repository's Markdown documents and the fenced code blocks in them. A block that no test can
// run has a comment before it: <!-- not run: the reason -->.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Document = { path: string; text: string };

export type Block = {
  /** Path and line, such as README.md:28. */
  place: string;
  document: string;
  language: string;
  code: string;
  /** Why the block is not run, or null. */
  notRun: string | null;
};

export const root = join(import.meta.dirname, '..', '..', '..');
const PLACES = '{*.md,docs/**/*.md,decisions/*.md,packages/*/*.md,examples/*.md,bench/*.md}';

export function documents(): Document[] {
  const found = globSync(PLACES, {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name === 'dist',
  });
  return found.sort().map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

const FENCED = /(?:<!-- not run: ([^>]+) -->\n+)?^```([^\n]*)\n([\s\S]*?)^```$/gm;

export const blocksOf = ({ path, text }: Document): Block[] =>
  Array.from(
    text.matchAll(FENCED),
    ({ 0: all, 1: reason, 2: language = '', 3: code = '', index }) => {
      const before = text.slice(0, index + all.indexOf('```'));
      const place = `${path}:${before.split('\n').length}`;
      return { place, document: path, language, code, notRun: reason?.trim() ?? null };
    },
  );
