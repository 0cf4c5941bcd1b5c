// Numbers that come over the network, checked and bounded before anything is made of them: a
// number as large as JSON can write becomes Infinity.

/** The bounds of a rate limit, as the control plane takes them. */
export const LIMIT_MAX = 1_000_000_000;
export const WINDOW_MS_MAX = 2_678_400_000;

/** The number within its bounds; null when it is none. */
export function figure(value: unknown, { min, max }: { min: number; max: number }): number | null {
  if (typeof value !== 'number' || Number.isNaN(value)) return null;
  return Math.min(max, Math.max(min, value));
}
