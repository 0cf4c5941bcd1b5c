// How long one piece of work may still wait. Every acquisition of a connection and every
// statement asks it, so that a frozen database cannot hold a request past its bound.
import { monotonicMs } from './clock.ts';

export type Deadline = { remainingMs(): number };

/** The longest that an operator may let a request wait for something other than the database. */
export const REVOKE_WAIT_MS_MAX = 60_000;

/** One bound over all waits of a request together. */
export const deadlineAfter = (ms: number): Deadline => {
  const endsAt = monotonicMs() + ms;
  return { remainingMs: () => endsAt - monotonicMs() };
};

/**
 * For work made of many small statements: each may wait `stepMs`, all together `totalMs`.
 * A database that stops answering is noticed as fast as in any other request.
 */
export const steppedDeadline = (stepMs: number, totalMs: number): Deadline => {
  const total = deadlineAfter(totalMs);
  return { remainingMs: () => Math.min(stepMs, total.remainingMs()) };
};
