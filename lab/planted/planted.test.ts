// Checks that every planted-bug patch still applies, that the document lists all of them, and that
// the tests catch two bugs whose tests are quick, a different pair each day. `npm run planted`
// checks all of the bugs.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { systemClock } from '@keyrail/server/base/clock.ts';
import { plantedBugs } from './bugs.ts';
import { copyTree, root } from './copied-tree.ts';
import { handful } from './handful.ts';
import { resultIn, runPlanted } from './run.ts';

const tree = copyTree();
after(tree.remove);
const patchOf = (name: string) => join(import.meta.dirname, 'patches', `${name}.patch`);

test('every patch applies to the current tree and can be reverted', () => {
  const files = readdirSync(join(import.meta.dirname, 'patches'));
  deepEqual(files.toSorted(), plantedBugs.map(({ patch }) => `${patch}.patch`).toSorted());
  equal(files.length, 24);
  for (const { patch } of plantedBugs) {
    tree.apply(patchOf(patch));
    tree.revert(patchOf(patch));
  }
});

test('every test that should catch a planted bug exists, and the document lists it', () => {
  const text = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
  for (const { patch, bug, file, title } of plantedBugs) {
    ok(readFileSync(join(root, file), 'utf8').includes(title), `${file}: ${title}`);
    const line = text.split('\n').find((each) => each.includes(`\`${patch}\``)) ?? '';
    ok(line.includes(bug) && line.includes(title), `README.md: ${patch}`);
  }
});

test('the tests catch both bugs selected for today', async () => {
  const cheap = plantedBugs.filter(({ isCheap }) => isCheap);
  for (const planted of handful(cheap, 2, systemClock.now())) {
    const { why } = await runPlanted(planted, { tree, postgresUrl: null });
    equal(why, null, planted.patch);
  }
});

test('the daily selection advances every day and wraps around', () => {
  const day = (n: number) => new Date(n * 86_400_000);
  const all = ['a', 'b', 'c'];
  const days = [0, 1, 2].map((n) => handful(all, 2, day(n)).join(''));
  deepEqual(days, ['ab', 'ca', 'bc']);
});

test('a skipped or missing test does not count as passed', () => {
  equal(resultIn('ok 1 - it works', 'it works'), 'passed');
  equal(resultIn('not ok 1 - it works', 'it works'), 'failed');
  equal(resultIn('ok 1 - it works # SKIP no store', 'it works'), 'was not found');
  equal(resultIn('1..0', 'it works'), 'was not found');
});
