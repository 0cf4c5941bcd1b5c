// How long to wait before the next exchange. Failures double the wait, hard ones from further up,
// and chance spreads it, so that a fleet does not come back in step after an outage.
import type { Chance } from '../clock.ts';

const SOFT_MS_MIN = 500;
/** A node that waits for longer hears of no revocation, long after the control plane is back. */
const SOFT_MS_MAX = 5_000;
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
  /** What the server asked for, or a proxy in front of it: a maintenance page says an hour. */
  retryAfterMs: number | null;
  /** The server is well and wants fewer requests: what it asks for is waited for in full. */
  isLimited: boolean;
};

export function waitMsAfter(failed: Failed, chance: Chance): number {
  const { failures, hard, isLimited } = failed;
  const asked = failed.retryAfterMs ?? 0;
  const [min, max] = hard ? [HARD_MS_MIN, HARD_MS_MAX] : [SOFT_MS_MIN, SOFT_MS_MAX];
  const grown = min * 2 ** Math.min(failures - 1, DOUBLINGS_MAX);
  const bound = Math.min(max, isLimited ? grown : Math.max(grown, asked));
  const before = isLimited ? Math.min(asked, HARD_MS_MAX) : 0;
  return before + bound * (1 - SPREAD * chance());
}

/** The least time between two tries when another exchange has shown that the server answers. */
export const wakeMs = (chance: Chance): number => SOFT_MS_MIN * (1 + chance());

/** A fifth more or less, for polls at intervals. */
export const spread = (ms: number, chance: Chance): number => ms * (0.8 + 0.4 * chance());
