// The README lists each custom property that the styles read, and the colours' defaults.
import { deepEqual } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const folder = import.meta.dirname;
const styles = readdirSync(folder)
  .filter((name) => name.endsWith('.css'))
  .map((name) => readFileSync(join(folder, name), 'utf8'))
  .join('\n');
const readme = readFileSync(join(folder, '../../README.md'), 'utf8');

/** Each custom property in the README's tables, with the text in the last column (the default). */
const listed = [...readme.matchAll(/^\| `(--keyrail-[\w-]+)` \|.*\| (.+) \|$/gm)].map(
  ([, name = '', usual = '']) => [name, usual] as const,
);

test('the README lists exactly the custom properties that the styles read', () => {
  const read = [...styles.matchAll(/var\((--keyrail-[\w-]+)/g)].map(([, name]) => name);
  deepEqual(listed.map(([name]) => name).toSorted(), [...new Set(read)].toSorted());
});

test("the README has each colour's default for both themes", () => {
  const colours = /var\((--keyrail-[\w-]+), light-dark\((#\w+), (#\w+)\)/g;
  deepEqual(
    Object.fromEntries(listed.filter(([, usual]) => usual.startsWith('`#'))),
    Object.fromEntries(
      [...styles.matchAll(colours)].map(([, name, light, dark]) => [
        name,
        `\`${light}\`, \`${dark}\``,
      ]),
    ),
  );
});
