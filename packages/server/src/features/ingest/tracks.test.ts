// One at a time in each track, and together what came up meanwhile.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { tracksFor } from './tracks.ts';

/** Tracks that do nothing until they are let; numbers below zero fail. */
function heldTracks(mostAtOnce: number, waitingMax = 100) {
  const taken: number[][] = [];
  const gates: (() => void)[] = [];
  const tracks = tracksFor<number, string>(
    async (items) => {
      taken.push([...items]);
      await new Promise<void>((resolve) => void gates.push(resolve));
      if (items.includes(0)) throw new Error('all of them');
      return Promise.allSettled(
        items.map(async (item) => {
          if (item < 0) throw new Error(`not ${item}`);
          return `did ${item}`;
        }),
      );
    },
    { mostAtOnce, waitingMax },
  );
  return { tracks, taken, open: () => gates.shift()?.() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('what comes up during one step is the next one, up to the most', async () => {
  const { tracks, taken, open } = heldTracks(3);
  const all = [1, 2, 3, 4, 5].map((item) => tracks('a', item));
  await settled();
  deepEqual(taken, [[1]]);
  open();
  await settled();
  deepEqual(taken, [[1], [2, 3, 4]]);
  open();
  await settled();
  open();
  deepEqual(await Promise.all(all), ['did 1', 'did 2', 'did 3', 'did 4', 'did 5']);
  deepEqual(taken.at(-1), [5]);
});

test('tracks do not wait for each other', async () => {
  const { tracks, taken, open } = heldTracks(3);
  const both = [tracks('a', 1), tracks('b', 2)];
  await settled();
  deepEqual(taken, [[1], [2]]);
  open();
  open();
  await Promise.all(both);
});

test('each is told of its own failure, or of one that struck all, and the track goes on', async () => {
  const { tracks, open } = heldTracks(3);
  const first = tracks('a', 1);
  const [bad, good] = [tracks('a', -1), tracks('a', 2)];
  await settled();
  open();
  await first;
  await settled();
  open();
  await rejects(bad, /not -1/);
  equal(await good, 'did 2');
  const struck = [tracks('a', 0)];
  await settled();
  struck.push(tracks('a', 3));
  open();
  await rejects(struck[0] ?? Promise.resolve(), /all of them/);
  await settled();
  open();
  equal(await struck[1], 'did 3');
});

test('whoever comes when too many wait is told at once', async () => {
  const { tracks, taken, open } = heldTracks(3, 2);
  const [first, second, third] = [1, 2, 3].map((item) => tracks('a', item));
  await rejects(tracks('a', 4), { code: 'unavailable' });
  const elsewhere = tracks('b', 5);
  for (let step = 0; step < 3; step += 1) {
    await settled();
    open();
  }
  deepEqual(await Promise.all([first, second, third, elsewhere]), [
    ...['did 1', 'did 2', 'did 3', 'did 5'],
  ]);
  equal(taken.flat().includes(4), false);
});
