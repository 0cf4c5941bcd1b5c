// Components and style sheets use the same class names, and each style sheet uses the right layer.
import { deepEqual, ok } from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const src = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(src, path), 'utf8');

const LAYERS: readonly (readonly [RegExp, string])[] = [
  [/^ui\//, 'ui'],
  [/^shell\//, 'shell'],
  [/./, 'screens'],
];

test('every class a component uses exists in its style sheet', () => {
  const missing: string[] = [];
  for (const path of globSync('**/*.tsx', { cwd: src })) {
    const text = read(path);
    for (const [, local = '', file = ''] of text.matchAll(
      /import (\w+) from '(.+\.module\.css)'/g,
    )) {
      const css = read(join(dirname(path), file));
      for (const [, name] of text.matchAll(new RegExp(`\\b${local}\\.(\\w+)`, 'g'))) {
        if (!new RegExp(`\\.${name}\\b`).test(css)) missing.push(`${path}: ${name}`);
      }
    }
  }
  deepEqual(missing, []);
});

test('every class in a style sheet is used by a component', () => {
  const all = globSync('**/*.tsx', { cwd: src }).map(read).join('\n');
  const unused: string[] = [];
  for (const path of globSync('**/*.module.css', { cwd: src })) {
    const css = read(path).replaceAll(/\/\*[\s\S]*?\*\//g, '');
    for (const [, name = ''] of css.matchAll(/\.([a-z]\w*)\b(?=[^{}]*\{)/gi)) {
      const isNamed = new RegExp(`\\w+\\.${name}\\b|[?:'"\`]${name}['"\`]|'${name}'`).test(all);
      if (!isNamed) unused.push(`${path}: ${name}`);
    }
  }
  deepEqual([...new Set(unused)], []);
});

test('every style sheet uses the cascade layer for its folder, and tokens for all colours', () => {
  for (const path of globSync('**/*.module.css', { cwd: src })) {
    const css = read(path);
    const layer = LAYERS.find(([folder]) => folder.test(path))?.[1];
    ok(css.startsWith(`@layer ${layer} {`), `${path} is in the layer ${layer}`);
    const colours = css.match(/(?<!color-mix\(in srgb, )#[0-9a-f]{3,8}\b/gi) ?? [];
    deepEqual(colours, [], path);
  }
});
