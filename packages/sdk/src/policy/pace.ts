// How long to wait before the next exchange. Failures double the wait, hard ones from further up,
// and chance spreads it, so that a fleet does not come back in step after an outage.
import type { Chance } from '../clock.ts';

const SOFT_MS_MIN = 500;
const SOFT_MS_MAX = 30_000;
const HARD_MS_MIN = 5_000;
const HARD_MS_MAX = 300_000;
const DOUBLINGS_MAX = 20;
/** Who is not heard for 90 s is not waited for at a revocation, and polls come a fifth late. */
export const POLL_MS_MAX = 60_000;
/** Of a wait, what chance may take away at most. */
const SPREAD = 0.75;

export type Failed = {
  /** How many failures came in a row, this one included. */
  failures: number;
  hard: boolean;
  /** What the server asked for, or something before it: a page about maintenance says an hour. */
  retryAfterMs: number | null;
};

export function waitMsAfter({ failures, hard, retryAfterMs }: Failed, chance: Chance): number {
  const [min, max] = hard ? [HARD_MS_MIN, HARD_MS_MAX] : [SOFT_MS_MIN, SOFT_MS_MAX];
  const bound = Math.min(max, min * 2 ** Math.min(failures - 1, DOUBLINGS_MAX));
  return Math.min(retryAfterMs ?? 0, HARD_MS_MAX) + bound * (1 - SPREAD * chance());
}

/** A fifth more or less, for polls at intervals. */
export const spread = (ms: number, chance: Chance): number => ms * (0.8 + 0.4 * chance());
