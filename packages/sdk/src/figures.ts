// Numbers from the network, checked and clamped before use: JSON such as 1e999 parses to Infinity.

/** The number clamped to its bounds; null when the value is not a number. */
export function figure(value: unknown, { min, max }: { min: number; max: number }): number | null {
  if (typeof value !== 'number' || Number.isNaN(value)) return null;
  return Math.min(max, Math.max(min, value));
}
