// Determines the moment up to which a signed response confirms the policy. A relay may hold back
// responses and send them later, so two comparisons limit how old a response can be: its signing
// time must keep pace with the monotonic clock, and may lag behind the wall clock only by as much
// as a response to a nonce has proven. A response to a nonce is new whatever the clocks say, so
// both comparisons start again from that response.
import { MINUTE_MS } from '@keyrail/protocol/wire/durations.ts';
import type { Moment } from '../time.ts';

/** How long a response may take, and how far the clocks of two servers may differ. */
const SLACK_MS = 120_000;
/** Two correct clocks drift apart by less than this fraction of the elapsed time. */
const DRIFT = 0.001;
/** Signatures contain whole seconds. */
const ROUNDING_MS = 1_000;

type SignedResponse = {
  signedAtMs: number;
  arrived: Moment;
  /** Whether the request had a nonce. */
  isProven: boolean;
};

type Freshness = {
  /** Returns the moment up to which a response confirms the policy, or the reason to reject it. */
  judge(response: SignedResponse): Moment | string;
  /** Why the last accepted response casts doubt on the wall clock; null if it does not. */
  clockFault(): string | null;
};

export function createFreshness(): Freshness {
  /** The server clock's largest offset so far, and when it was seen. */
  let best: { offsetMs: number; atMs: number } | null = null;
  /**
   * How far behind the wall clock a response to a nonce was signed. Later responses may be as far
   * behind.
   */
  let provenLagMs = 0;
  let lagMs = 0;
  return {
    judge({ signedAtMs, arrived, isProven }) {
      const offsetMs = signedAtMs - arrived.elapsedMs;
      const lag = arrived.wallMs - signedAtMs;
      if (isProven) {
        best = null;
        provenLagMs = lag;
      }
      const sinceMs = best ? arrived.elapsedMs - best.atMs : 0;
      const lateMs = best ? best.offsetMs - sinceMs * DRIFT - offsetMs : 0;
      if (lateMs > SLACK_MS) {
        return "it was signed too long ago, or the control plane's clock went backwards";
      }
      if (lag > Math.max(0, provenLagMs) + SLACK_MS) {
        return heldBack(lag);
      }
      if (best === null || lateMs <= 0) best = { offsetMs, atMs: arrived.elapsedMs };
      // Once the wall clock has been corrected, responses may no longer lag behind it.
      provenLagMs = Math.min(provenLagMs, Math.max(0, lag));
      lagMs = lag;
      const heldMs = Math.max(0, lateMs - ROUNDING_MS);
      return { wallMs: arrived.wallMs - heldMs, elapsedMs: arrived.elapsedMs - heldMs };
    },
    clockFault: () => {
      if (lagMs <= SLACK_MS) return null;
      return provenLagMs > SLACK_MS ? proven(lagMs) : `the policy may be old: ${heldBack(lagMs)}`;
    },
  };
}

const heldBack = (lagMs: number): string =>
  `according to this machine's clock it was signed ${minutes(lagMs)} ago; ` +
  'either the clock is ahead or the response was held back';

const proven = (lagMs: number): string =>
  `this machine's clock is ${minutes(lagMs)} ahead of the control plane's; ` +
  'a nonce proved that the responses are new';

const minutes = (ms: number): string => `${Math.round(ms / MINUTE_MS)} minutes`;
