// Whether polls are held open. A wire that breaks held requests, or a server that does not hold
// them, gets plain polls for a while; then holding is tried again. An outage is neither: what fails
// when it is held and again when it is not says nothing about holding.
import type { Clock } from '../clock.ts';

const HOLD_MS = 25_000;
/** Of the time after which silence makes policy stale: a held poll is silent all along. */
const FRESH_SHARE = 0.5;
/** An answer without news before this share of the time was not held. */
const HELD_SHARE = 0.5;
const DISAPPOINTMENTS_MAX = 3;
const PLAIN_MS = 600_000;

export type Poll = {
  /** How long it was to be held; 0 for a plain one. */
  holdMs: number;
  tookMs: number;
  outcome: 'news' | 'quiet' | 'failed';
};

export type Holding = {
  /** How long the next poll should be held. */
  next(): number;
  ended(poll: Poll): void;
};

export type HoldingParts = { clock: Clock; longPoll: boolean; staleAfterMs: number };

export function createHolding({ clock, longPoll, staleAfterMs }: HoldingParts): Holding {
  const wantedMs = longPoll ? Math.min(HOLD_MS, Math.floor(staleAfterMs * FRESH_SHARE)) : 0;
  let disappointments = 0;
  let plainUntil = Number.NEGATIVE_INFINITY;
  /** A held poll has just failed; a plain one will tell why. */
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
      } else if (outcome === 'news' || tookMs >= holdMs * HELD_SHARE) disappointments = 0;
      else disappointed();
    },
  };
}
