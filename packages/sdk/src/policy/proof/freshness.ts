// Refuses old responses that are sent again. The time at which a response was signed must keep pace
// with the monotonic clock, so that the clocks of the control plane and of this machine need not
// agree. Only the first response is compared with this machine's clock, with much tolerance.
import type { Clock } from '../../clock.ts';

/** A response may be slow by this, and the clocks of two servers may differ by it. */
const SLACK_MS = 120_000;
/** How old the first response may seem: the clock of this machine may be ahead by as much. */
const FIRST_SLACK_MS = 3_600_000;
/** Two correct clocks drift apart by less than this share of the elapsed time. */
const DRIFT = 0.001;

type Freshness = {
  /** False for a response that was signed too long before it arrived. Times in milliseconds. */
  accepts(signedAtMs: number, arrivedMs: number): boolean;
};

export function createFreshness(clock: Pick<Clock, 'now'>): Freshness {
  /** The largest offset of the server's clock so far, and when it was seen. */
  let best: { offsetMs: number; atMs: number } | null = null;
  return {
    accepts(signedAtMs, arrivedMs) {
      const offsetMs = signedAtMs - arrivedMs;
      if (best === null && signedAtMs < clock.now() - FIRST_SLACK_MS) return false;
      const expectedMs = best ? best.offsetMs - (arrivedMs - best.atMs) * DRIFT : offsetMs;
      if (offsetMs < expectedMs - SLACK_MS) return false;
      if (offsetMs >= expectedMs) best = { offsetMs, atMs: arrivedMs };
      return true;
    },
  };
}
