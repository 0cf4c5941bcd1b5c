// How many calls with the same name run at a time, how many wait, and when further calls are
// rejected.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limited } from './coalesce.ts';

test('limited calls run in order, pass on their slots, and are rejected beyond waitingMax', async () => {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const run = limited({ atOnceMax: 1, waitingMax: 1, refuse: () => new Error('busy') });
  const work = (name: string) =>
    run('queue', async () => {
      started.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    });
  const first = work('a');
  const second = work('b');
  await rejects(work('c'), /busy/);
  ends.shift()?.();
  equal(await first, 'a');
  await nextTurn();
  deepEqual(started, ['a', 'b']);
  ends.shift()?.();
  equal(await second, 'b');
});

test('limited calls with different names have separate slots', async () => {
  const run = limited({ atOnceMax: 1, waitingMax: 0, refuse: () => new Error('busy') });
  const held = Promise.withResolvers<string>();
  const first = run('a', () => held.promise);
  await rejects(
    run('a', async () => 'second'),
    /busy/,
  );
  equal(await run('b', async () => 'other'), 'other');
  held.resolve('first');
  equal(await first, 'first');
  equal(await run('a', async () => 'later'), 'later');
});
