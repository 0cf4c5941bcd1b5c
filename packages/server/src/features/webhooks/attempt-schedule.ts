// When a failed delivery is retried, and how long an endpoint may keep failing. The first attempt
// is made immediately.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/duration.ts';

/** The pause after each failed attempt. */
const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/**
 * Each pause is extended at random, by up to this fraction, so that a recovering receiver isn't
 * flooded.
 */
const JITTER = 0.2;

/** The longest pause before the next attempt, indexed by the number of attempts so far. */
export const LONGEST_PAUSES_MS = [0, ...PAUSES_MS.map((pause) => pause * (1 + JITTER))];

/**
 * Returns the pause before the next attempt; null if there won't be one. `random` is from 0 to 1.
 */
export function pauseAfterMs(attempts: number, random: number): number | null {
  const pause = PAUSES_MS[attempts - 1];
  return pause === undefined ? null : Math.round(pause * (1 + JITTER * random));
}

const FAILING_MS_MAX = 5 * DAY_MS;

/** `since` is when the endpoint first failed after its last success. */
export const hasFailedTooLong = (since: Date | null, now: Date): boolean =>
  since !== null && now.getTime() - since.getTime() >= FAILING_MS_MAX;

/**
 * How long a claim on a delivery lasts. Must be longer than an attempt and its SQL statements can
 * take.
 */
export const CLAIM_MS = MINUTE_MS;
