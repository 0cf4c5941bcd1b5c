import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { median, medianInterval, percentile, ratios } from './statistics.ts';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

test('a median is the middle value, or the mean of the two middle values', () => {
  equal(median([3, 1, 2]), 2);
  equal(median([4, 1, 3, 2]), 2.5);
  equal(median([7]), 7);
  throws(() => median([]), /empty list/);
});

test('computing a median does not reorder the values', () => {
  const values = [3, 1, 2];
  median(values);
  deepEqual(values, [3, 1, 2]);
});

test('a confidence interval needs at least five values', () => {
  equal(medianInterval([]), null);
  equal(medianInterval([1, 2, 3, 4]), null);
  deepEqual(medianInterval([5, 1, 4, 2, 3]), { low: 1, high: 5 });
});

test("a median's interval is narrower with more values", () => {
  deepEqual(medianInterval(upTo(15)), { low: 4, high: 12 });
  deepEqual(medianInterval(upTo(85)), { low: 34, high: 52 });
});

test('an interval contains the true median in 95 out of 100 cases', () => {
  const random = createRandom(1);
  const rounds = 2000;
  let hits = 0;
  for (let round = 0; round < rounds; round += 1) {
    // The squares of uniform random numbers, whose median is 0.25.
    const interval = medianInterval(Array.from({ length: 85 }, () => random() ** 2));
    if (interval && interval.low <= 0.25 && interval.high >= 0.25) hits += 1;
  }
  equal(hits / rounds > 0.93 && hits / rounds < 0.98, true, `${hits} of ${rounds}`);
});

/** A small random number generator whose sequence is the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

test('a percentile is one of the values', () => {
  equal(percentile(upTo(100), 0.5), 51);
  equal(percentile(upTo(100), 0.99), 100);
  equal(percentile([3, 1, 2], 1), 3);
  equal(percentile([], 0.5), 0);
});

test('ratios compare values from the same round', () => {
  deepEqual(ratios([1, 4], [2, 2]), [0.5, 2]);
});
