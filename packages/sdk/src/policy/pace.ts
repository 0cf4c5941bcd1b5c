// The wait before the next request to the feed. It doubles with each failure, starts longer after a
// hard failure, and has jitter, so that a fleet does not retry in lockstep after an outage.
import type { Chance } from '../clock.ts';

const SOFT_MS_MIN = 500;
/**
 * The maximum wait after a soft failure. Once the control plane is back, a node may miss
 * revocations for up to this long.
 */
const SOFT_MS_MAX = 5_000;
const HARD_MS_MIN = 5_000;
const HARD_MS_MAX = 300_000;
const DOUBLINGS_MAX = 20;
/** Keep below 90 s, after which revocations stop waiting for this node; jitter adds up to 20%. */
export const POLL_MS_MAX = 60_000;
/** Jitter shortens a wait by at most this fraction. */
const SPREAD = 0.75;

type FailedTries = {
  /** The number of consecutive failures, including this one. */
  failures: number;
  hard: boolean;
  /** `Retry-After` from the server, or from a proxy, whose maintenance page may ask for an hour. */
  retryAfterMs: number | null;
  /**
   * Status 429: the server works but wants fewer requests, so the node waits the full
   * `Retry-After`.
   */
  isLimited: boolean;
};

export function waitMsAfter(failed: FailedTries, chance: Chance): number {
  const { failures, hard, isLimited } = failed;
  const asked = failed.retryAfterMs ?? 0;
  const [min, max] = hard ? [HARD_MS_MIN, HARD_MS_MAX] : [SOFT_MS_MIN, SOFT_MS_MAX];
  const grown = min * 2 ** Math.min(failures - 1, DOUBLINGS_MAX);
  const bound = Math.min(max, isLimited ? grown : Math.max(grown, asked));
  const before = isLimited ? Math.min(asked, HARD_MS_MAX) : 0;
  return before + bound * (1 - SPREAD * chance());
}

/**
 * When another request shows that the server is back, the next attempt may start early, but only
 * after this wait.
 */
export const wakeMs = (chance: Chance): number => SOFT_MS_MIN * (1 + chance());

/** Jitter of ±20%, for polls at intervals. */
export const spread = (ms: number, chance: Chance): number => ms * (0.8 + 0.4 * chance());
export const longestSpread = (ms: number): number => Math.ceil(ms * 1.2);
