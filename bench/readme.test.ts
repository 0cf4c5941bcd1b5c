import { deepEqual, ok } from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');

test('every source file named in the README exists', () => {
  const named = [...readme.matchAll(/`((?:server|sdk|edge|protocol|dashboard)\/[^`]+)`/g)].map(
    ([, path]) => path,
  );
  deepEqual(
    named.filter((path) => path !== undefined && !existsSync(join(root, 'packages', path))),
    [],
  );
});

test('every benchmark named in a source comment exists', () => {
  const listed = new Set([...readme.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name));
  const named = globSync('packages/*/src/**/*.ts', { cwd: root }).flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/`npm run bench -- ([a-z-]+)`/g)].map(
      ([, name]) => ({ path, name }),
    ),
  );
  ok(named.length > 0);
  deepEqual(
    named.filter(({ name }) => !listed.has(name)),
    [],
  );
});
