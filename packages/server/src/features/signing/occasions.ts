// When a signing key is replaced.
//
// Its life: published, so that whoever verifies tokens by our list has it in time; after the wait
// it signs; once replaced it stays published until the last token that it signed is dead.
import { EMBED_TOKEN_SECONDS } from '@keyrail/protocol/limits.ts';
import { MINUTE_MS, msAfter, SECOND_MS } from '../../base/duration.ts';

/**
 * `first`: only if there is none. `due`: as the schedule says. `asked`: by an operator, unless a
 * successor is on its way already. `at once`: it may have leaked, so the others end this instant,
 * and every token with them.
 */
export type Occasion = 'first' | 'due' | 'asked' | 'at once';

export type SigningSchedule = {
  /** How long one key signs. */
  rotateEveryMs: number;
  /** Between being published and signing. */
  publishWaitMs: number;
};

/** A list that was read before the key was there may still be on its way to whoever caches it. */
const ON_ITS_WAY_MS = SECOND_MS;

/** For clocks that are behind: someone may still be verifying a token that we call dead. */
const SKEW_MS = MINUTE_MS;

export function isNeeded(
  occasion: Occasion,
  newest: { signsFrom: Date } | null,
  { now, rotateEveryMs }: { now: Date; rotateEveryMs: number },
): boolean {
  if (newest === null || occasion === 'at once') return true;
  if (occasion === 'first') return false;
  const signedForMs = now.getTime() - newest.signsFrom.getTime();
  return signedForMs >= (occasion === 'due' ? rotateEveryMs : 0);
}

/** From when a new key signs, and when those before it end. */
export function timesOf(
  occasion: Occasion,
  { now, isFirst, publishWaitMs }: { now: Date; isFirst: boolean; publishWaitMs: number },
): { signsFrom: Date; othersEndAt: Date } {
  if (occasion === 'at once' || isFirst) return { signsFrom: now, othersEndAt: now };
  const signsFrom = msAfter(now, publishWaitMs + ON_ITS_WAY_MS);
  return { signsFrom, othersEndAt: msAfter(signsFrom, EMBED_TOKEN_SECONDS * SECOND_MS + SKEW_MS) };
}
