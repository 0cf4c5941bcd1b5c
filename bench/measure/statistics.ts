// Statistics on samples: medians with their confidence intervals, percentiles and ratios.

export type Interval = { low: number; high: number };

/**
 * The minimum number of values for a confidence interval. With five values, the true median lies
 * between the lowest and the highest of them in 94 out of 100 cases.
 */
const INTERVAL_VALUES_MIN = 5;
/**
 * Half the width, in ranks, of a median's 95% confidence interval, divided by the square root of
 * the number of values.
 */
const HALF_WIDTH = 0.98;

const sorted = (values: readonly number[]): number[] =>
  values.toSorted((one, other) => one - other);

export function median(values: readonly number[]): number {
  const inOrder = sorted(values);
  const middle = Math.floor(inOrder.length / 2);
  const upper = inOrder[middle];
  if (upper === undefined) throw new Error('cannot compute the median of an empty list');
  const lower = inOrder.length % 2 === 0 ? (inOrder[middle - 1] ?? upper) : upper;
  return (lower + upper) / 2;
}

/**
 * The 95% confidence interval of the median: two of the sorted values, whose positions depend only
 * on the number of values. Null if there are too few values.
 */
export function medianInterval(values: readonly number[]): Interval | null {
  if (values.length < INTERVAL_VALUES_MIN) return null;
  const inOrder = sorted(values);
  const middle = inOrder.length / 2;
  const halfWidth = HALF_WIDTH * Math.sqrt(inOrder.length);
  const from = Math.max(0, Math.floor(middle - halfWidth));
  const to = Math.min(inOrder.length - 1, Math.ceil(middle + halfWidth) - 1);
  return { low: inOrder[from] ?? Number.NaN, high: inOrder[to] ?? Number.NaN };
}

/**
 * Returns a percentile: the value that is greater than the given fraction of the values. For a
 * fraction of 1, this is the largest value.
 */
export function percentile(values: readonly number[], share: number): number {
  const position = Math.min(values.length - 1, Math.floor(values.length * share));
  return sorted(values)[position] ?? 0;
}

/** Returns one ratio per round, so that only adjacent measurements are compared. */
export const ratios = (ours: readonly number[], peers: readonly number[]): number[] =>
  ours.map((value, round) => value / (peers[round] ?? Number.NaN));
