// When a failed email is retried, and how long a worker's claim on an email lasts.
import { MINUTE_MS, SECOND_MS } from '../../base/duration.ts';

/**
 * How long a worker's claim on an email lasts. The claim is extended while the email is being sent.
 */
export const CLAIM_MS = 2 * MINUTE_MS;

const RETRY_MS_MAX = 15 * MINUTE_MS;
const DOUBLINGS_MAX = 10;

export const retryAfterMs = (attempts: number): number =>
  Math.min(SECOND_MS * 2 ** Math.min(attempts, DOUBLINGS_MAX), RETRY_MS_MAX);

/**
 * The longest possible delay before the next attempt to send an email, indexed by the number of
 * attempts so far.
 */
export const LONGEST_PAUSES_MS = [
  0,
  ...Array.from({ length: DOUBLINGS_MAX }, (_, before) => retryAfterMs(before + 1)),
];
