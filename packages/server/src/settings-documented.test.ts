// Every setting has a name and a description, and the docs list it as `keyrail-server help` prints
// it.
import { deepEqual, match } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { settings } from './config.ts';

const manual = new URL('../../../docs/settings.md', import.meta.url);

test('docs/settings.md lists every setting with its default and meaning', () => {
  const rows = readFileSync(manual, 'utf8').match(/^\| `(KEYRAIL_|DATABASE_|REDIS_|OTEL_).*$/gm);
  const expected = settings.map(({ name, fallback, meaning }) => {
    const shown = fallback === null ? 'none' : `\`${fallback}\``;
    return `| \`${name}\` | ${shown} | ${meaning.replace(/<(.*?)>/g, '&lt;$1&gt;')} |`;
  });
  deepEqual(rows, expected);
});

test('every setting has a valid name, and a description that ends in a full stop', () => {
  for (const { name, meaning } of settings) {
    match(name, /^(KEYRAIL_[A-Z_]+|DATABASE_URL|REDIS_URL|OTEL_[A-Z_]+)$/);
    match(meaning, /^\w.*\.$/, name);
  }
});
