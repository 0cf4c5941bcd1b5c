// Percentiles stay within the documented margin of error, and histograms can be added.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bucketOf, emptyHistogram, percentileOf, SLOWEST_MS } from './histogram.ts';

const ERROR_MAX = 0.091;

function histogramOf(values: readonly number[]): number[] {
  const counts = emptyHistogram();
  for (const value of values) counts[bucketOf(value)] = (counts[bucketOf(value)] ?? 0) + 1;
  return counts;
}

const latency = fc.oneof(
  fc.double({ min: 0.25, max: SLOWEST_MS, noNaN: true }),
  fc.double({ min: 0.25, max: 500, noNaN: true }),
);

test('a percentile is at most 9.1% off', () => {
  fc.assert(
    fc.property(
      fc.array(latency, { minLength: 1, maxLength: 200 }),
      fc.constantFrom(0.5, 0.9, 0.99),
      (values, share) => {
        const sorted = values.toSorted((a, b) => a - b);
        const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
        const estimate = percentileOf(histogramOf(values), share) ?? 0;
        ok(Math.abs(estimate - exact) <= exact * ERROR_MAX, `${estimate} for ${exact}`);
      },
    ),
  );
});

test('the sum of two histograms is the histogram of all values', () => {
  fc.assert(
    fc.property(fc.array(latency), fc.array(latency), (some, others) => {
      const one = histogramOf(some);
      const other = histogramOf(others);
      deepEqual(
        histogramOf([...some, ...others]),
        one.map((count, bucket) => count + (other[bucket] ?? 0)),
      );
    }),
  );
});

test('a latency above the last bucket is reported as that bucket’s upper bound', () => {
  equal(percentileOf(histogramOf([0]), 0.5), 0.25);
  equal(percentileOf(histogramOf([0.01, 0.2]), 0.99), 0.25);
  equal(percentileOf(histogramOf([604_800_000]), 0.5), 65_536);
  equal(percentileOf(emptyHistogram(), 0.5), null);
});
