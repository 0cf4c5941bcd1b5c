// Latencies are counted in fixed buckets, four per doubling, so that histograms of different hours,
// projects and nodes can be added. A percentile is the middle of its bucket, so it is off by at
// most a factor of 2^(1/8), or 9.1%. Latencies beyond the first or last bound are reported as that
// bound. Stored counts depend on these buckets, so changing them would require a new column.

const FASTEST_MS = 0.25;
const PARTS = 4;
const DOUBLINGS = 18;
const LAST = PARTS * DOUBLINGS + 1;

export const SLOWEST_MS = FASTEST_MS * 2 ** DOUBLINGS;

export type Histogram = number[];

export const emptyHistogram = (): Histogram => new Array<number>(LAST + 1).fill(0);

export function bucketOf(ms: number): number {
  if (ms <= FASTEST_MS) return 0;
  return Math.min(LAST, Math.ceil(Math.log2(ms / FASTEST_MS) * PARTS));
}

/** Null if the histogram is empty. */
export function percentileOf(counts: Histogram, share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let seen = 0;
  // Because of rounding, `seen` may stay just below the total. In that case, the last non-empty
  // bucket is used.
  let last = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count === 0) continue;
    seen += count;
    last = bucket;
    if (seen >= share * total) break;
  }
  return middleOf(last);
}

function middleOf(bucket: number): number {
  if (bucket === 0) return FASTEST_MS;
  if (bucket === LAST) return SLOWEST_MS;
  return Number((FASTEST_MS * 2 ** ((bucket - 0.5) / PARTS)).toPrecision(4));
}
