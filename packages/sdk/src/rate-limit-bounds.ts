// Numbers from the network, checked and clamped before use: JSON such as 1e999 parses to Infinity.

/** The bounds of a rate limit that the control plane accepts. */
export const LIMIT_MAX = 1_000_000_000;
export const WINDOW_MS_MAX = 2_678_400_000;

/** The number clamped to its bounds; null when the value is not a number. */
export function figure(value: unknown, { min, max }: { min: number; max: number }): number | null {
  if (typeof value !== 'number' || Number.isNaN(value)) return null;
  return Math.min(max, Math.max(min, value));
}
