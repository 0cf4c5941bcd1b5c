// Dashboard and widget are built again when their sources change, and for no other reason.
import { equal } from 'node:assert/strict';
import { appendFileSync, cpSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { root } from '@keyrail/testing/documents.ts';

/** Plain JavaScript, without types. */
const { isBrowserStale }: { isBrowserStale(at: string): boolean } = await import(
  join(root, 'scripts/build-browser.mjs')
);

const COPIED = [
  'packages/dashboard/src',
  'packages/dashboard/index.html',
  'packages/dashboard/package.json',
  'packages/dashboard/dist/made-from',
  'packages/client/src',
  'packages/protocol/src',
  'packages/widget/src',
  'packages/widget/package.json',
  'scripts/build-browser.mjs',
  'scripts/widget-options.mjs',
];

test('a change of its sources makes the build stale, and nothing else does', async (t) => {
  const copy = await mkdtemp(join(tmpdir(), 'kr-stale-'));
  t.after(() => rmSync(copy, { recursive: true, force: true }));
  for (const path of COPIED) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(root, path), join(copy, path), { recursive: true });
  }
  const stamp = 'packages/dashboard/dist/made-from';
  const isStaleAfter = (path: string): boolean => {
    appendFileSync(join(copy, path), '\n');
    const isStale = isBrowserStale(copy);
    rmSync(join(copy, path));
    if (COPIED.some((one) => path.startsWith(one))) cpSync(join(root, path), join(copy, path));
    return isStale;
  };
  equal(isBrowserStale(copy), false, 'setup built it before the tests');
  utimesSync(join(copy, 'packages/dashboard/src/main.tsx'), 0, 0);
  equal(isBrowserStale(copy), false, 'a new date is no change');
  for (const [path, isStale] of [
    ['packages/dashboard/src/main.tsx', true],
    ['packages/dashboard/src/style/tokens.css', true],
    ['packages/dashboard/package.json', true],
    ['packages/client/src/client.ts', true],
    ['packages/widget/src/element.ts', true],
    ['packages/protocol/src/wire/limits.ts', true],
    ['packages/dashboard/src/sizes.test.ts', false],
    ['packages/dashboard/README.md', false],
    ['packages/protocol/src/endpoint.ts', false],
  ] as const) {
    equal(isStaleAfter(path), isStale, path);
  }
  equal(isBrowserStale(copy), false, 'as before');
  writeFileSync(join(copy, stamp), 'of another version');
  equal(isBrowserStale(copy), true);
});
