// When a signing key is replaced.
//
// A key is published first, so that verifiers with a cached list get it in time. It starts signing
// after a waiting period. Once replaced, it stays published until the last token it signed has
// expired; a policy feed key stays published until every node has renewed its cache.
import { EMBED_TOKEN_SECONDS } from '@keyrail/protocol/wire/limits.ts';
import type { SigningPurpose } from '@keyrail/protocol/wire/signing-purposes.ts';
import { DAY_MS, MINUTE_MS, msAfter, SECOND_MS } from '../base/duration.ts';

/**
 * `first`: only if no key exists. `due`: according to the schedule. `asked`: requested by an
 * operator, unless the next key is already published. `immediately`: the key may have leaked, so
 * all other keys are retired and their tokens become invalid immediately.
 */
export type RotationCause = 'first' | 'due' | 'asked' | 'immediately';

/** Whether signatures for this purpose are still verified long after their key has been retired. */
export const isLasting = (purpose: SigningPurpose): boolean =>
  purpose === 'audit_anchor' || purpose === 'receipt';

export type SigningSchedule = {
  /** How long a key is used for signing. */
  rotateEveryMs: number;
  /** How long a key is published before it signs. */
  publishWaitMs: number;
};

/** A margin for responses with the old list of keys that are still on their way to a cache. */
const IN_FLIGHT_MS = SECOND_MS;

/**
 * A margin for verifiers whose clocks are slow, which still accept a token after it has expired.
 */
const SKEW_MS = MINUTE_MS;

export function isNeeded(
  cause: RotationCause,
  newest: { signsFrom: Date } | null,
  { now, rotateEveryMs }: { now: Date; rotateEveryMs: number },
): boolean {
  if (newest === null || cause === 'immediately') return true;
  if (cause === 'first') return false;
  const signedForMs = now.getTime() - newest.signsFrom.getTime();
  return signedForMs >= (cause === 'due' ? rotateEveryMs : 0);
}

type Lifetime = { signsFrom: Date; endsAt: Date | null };

/**
 * Returns the key that signs at a given time: the newest key that may already sign or, if none may
 * sign yet because the clock was set back, the earliest key.
 */
export function signerAt<Key extends Lifetime>(keys: readonly Key[], now: Date): Key | null {
  const live = keys
    .filter(({ endsAt }) => endsAt === null || endsAt > now)
    .toSorted((a, b) => a.signsFrom.getTime() - b.signsFrom.getTime());
  return live.findLast(({ signsFrom }) => signsFrom <= now) ?? live[0] ?? null;
}

const LAST_TOKEN_MS = EMBED_TOKEN_SECONDS * SECOND_MS + SKEW_MS;

/** A node replaces the signed responses in its cache within hours of seeing a new key. */
const LAST_CACHE_MS = DAY_MS;

type NewKey = { now: Date; isFirst: boolean; publishWaitMs: number; purpose: SigningPurpose };

/** When a new key starts signing, and when the earlier keys are retired. */
export function timesOf(
  cause: RotationCause,
  { now, isFirst, publishWaitMs, purpose }: NewKey,
): { signsFrom: Date; othersEndAt: Date } {
  if (cause === 'immediately' || isFirst) return { signsFrom: now, othersEndAt: now };
  const signsFrom = msAfter(now, publishWaitMs + IN_FLIGHT_MS);
  const keptMs = purpose === 'policy_feed' ? LAST_CACHE_MS : LAST_TOKEN_MS;
  return { signsFrom, othersEndAt: msAfter(signsFrom, keptMs) };
}
