import { deepEqual } from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');

test('the source files that figures stand behind exist', () => {
  const text = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
  const named = [...text.matchAll(/`((?:server|sdk|edge|protocol|dashboard)\/[^`]+)`/g)].map(
    ([, path]) => path,
  );
  deepEqual(
    named.filter((path) => path !== undefined && !existsSync(join(root, 'packages', path))),
    [],
  );
});
