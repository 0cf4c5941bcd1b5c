// The compressed size of what a browser loads stays within a budget.
import { ok } from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';

const dist = join(import.meta.dirname, '../dist');

const FIRST_KB_MAX = 150;
const SCREEN_KB_MAX = 25;
const CHARTS_KB_MAX = 22;
const FONTS_KB_MAX = 90;

type Output = {
  entryPoint?: string;
  cssBundle?: string;
  imports: { path: string; kind: string }[];
};
const { outputs }: { outputs: Record<string, Output> } = JSON.parse(
  readFileSync(join(dist, 'metafile.json'), 'utf8'),
);

const kb = (files: Iterable<string>): number => {
  let bytes = 0;
  for (const file of files) bytes += statSync(join(dist, 'assets', `${basename(file)}.gz`)).size;
  return bytes / 1000;
};

const fileOf = (entry: string): string => {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry);
  ok(found, entry);
  return found[0];
};

/** A file and its static imports. */
function withImports(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const { path, kind } of outputs[file]?.imports ?? []) {
    if (kind === 'import-statement') withImports(path, seen);
  }
  return seen;
}

const main = fileOf('src/main.tsx');
const first = withImports(main);
const styles = [outputs[main]?.cssBundle ?? ''];
const more = (entry: string): number =>
  kb([...withImports(fileOf(entry))].filter((file) => !first.has(file)));

const under = (what: string, size: number, max: number): void =>
  ok(size <= max, `${what}: ${size.toFixed(1)} kB, not ${max}`);

test('the sign-in page and the overview stay within their size budgets', () => {
  const screens = ['sign-in', 'overview'].map((name) => `src/screens/${name}/screen.tsx`);
  for (const entry of screens) {
    if (!Object.values(outputs).some(({ entryPoint }) => entryPoint === entry)) continue;
    under(entry, kb(first) + kb(styles) + more(entry), FIRST_KB_MAX);
  }
});

test('every screen and the charts stay within their size budgets', () => {
  for (const { entryPoint = '' } of Object.values(outputs)) {
    if (/^src\/screens\//.test(entryPoint)) under(entryPoint, more(entryPoint), SCREEN_KB_MAX);
  }
  const drawing = 'src/ui/charts/chart-drawing.tsx';
  const isUsed = Object.values(outputs).some(({ entryPoint }) => entryPoint === drawing);
  if (isUsed) under(drawing, more(drawing), CHARTS_KB_MAX);
});

test('there are two font files, and they stay within their size budget', () => {
  const fonts = readdirSync(join(dist, 'assets')).filter((name) => name.endsWith('.woff2'));
  const bytes = fonts.reduce((sum, name) => sum + statSync(join(dist, 'assets', name)).size, 0);
  ok(fonts.length === 2, `${fonts.length} fonts`);
  under('fonts', bytes / 1000, FONTS_KB_MAX);
});
