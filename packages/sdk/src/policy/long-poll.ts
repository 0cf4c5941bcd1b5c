// Whether polls are held open (long polling). If the network breaks held requests, or the server
// does not hold them, polls are plain for a while; then holding is tried again. Outages do not
// count, because they also break the plain poll that follows a failed held one.
import type { Clock } from '../clock.ts';

const HOLD_MS = 25_000;
/**
 * The longest hold, as a fraction of `staleAfterMs`. A response confirms the policy as of the time
 * of its request, so when a hold ends, the last confirmation is two holds old.
 */
const FRESH_SHARE = 0.4;
/**
 * If a response without changes arrives before this fraction of the hold has passed, the poll was
 * not held.
 */
const HELD_SHARE = 0.5;
const DISAPPOINTMENTS_MAX = 3;
const PLAIN_MS = 600_000;

type EndedPoll = {
  /** How long the server was asked to hold the poll; 0 for a plain poll. */
  holdMs: number;
  tookMs: number;
  outcome: 'changes' | 'quiet' | 'failed';
};

export type LongPoll = {
  /** How long to ask the server to hold the next poll; 0 for a plain one. */
  next(): number;
  ended(poll: EndedPoll): void;
};

type LongPollParts = { clock: Clock; longPoll: boolean; staleAfterMs: number };

export function createLongPoll({ clock, longPoll, staleAfterMs }: LongPollParts): LongPoll {
  const wantedMs = longPoll ? Math.min(HOLD_MS, Math.floor(staleAfterMs * FRESH_SHARE)) : 0;
  let disappointments = 0;
  let plainUntil = Number.NEGATIVE_INFINITY;
  /**
   * The last poll was held and failed; the next poll is plain, and shows whether holding is the
   * cause.
   */
  let isSuspect = false;

  const disappointed = () => {
    disappointments += 1;
    if (disappointments < DISAPPOINTMENTS_MAX) return;
    disappointments = 0;
    plainUntil = clock.monotonicMs() + PLAIN_MS;
  };
  return {
    next: () => (isSuspect || clock.monotonicMs() < plainUntil ? 0 : wantedMs),
    ended: ({ holdMs, tookMs, outcome }) => {
      const wasSuspect = isSuspect;
      isSuspect = outcome === 'failed' && holdMs > 0;
      if (outcome === 'failed') return;
      if (holdMs === 0) {
        if (wasSuspect) disappointed();
      } else if (outcome === 'changes' || tookMs >= holdMs * HELD_SHARE) disappointments = 0;
      else disappointed();
    },
  };
}
