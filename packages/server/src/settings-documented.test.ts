// The manual lists every setting as `keyrail-server help` prints it.
import { deepEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { settings } from './config.ts';

const operators = new URL('../../../docs/operate.md', import.meta.url);

test('docs/operate.md lists every setting with its default and meaning', () => {
  const rows = readFileSync(operators, 'utf8').match(/^\| `(KEYRAIL_|DATABASE_|REDIS_|OTEL_).*$/gm);
  const expected = settings.map(({ name, fallback, meaning }) => {
    const shown = fallback === null ? 'none' : `\`${fallback}\``;
    return `| \`${name}\` | ${shown} | ${meaning.replace(/<(.*?)>/g, '&lt;$1&gt;')} |`;
  });
  deepEqual(rows, expected);
});
