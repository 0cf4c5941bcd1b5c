// How much longer a piece of work may wait. Both acquiring a connection and running a statement
// check the deadline, so that a frozen database cannot delay a request beyond its deadline.
import { monotonicMs } from './clock.ts';

export type Deadline = { remainingMs(): number };

/** Limits the total time a request may wait. */
export const deadlineAfter = (ms: number): Deadline => {
  const endsAt = monotonicMs() + ms;
  return { remainingMs: () => endsAt - monotonicMs() };
};

/**
 * For work that consists of many small statements: each may wait `stepMs`, and all of them together
 * `totalMs`. A database that stops responding is detected as quickly as in any other request.
 */
export const steppedDeadline = (stepMs: number, totalMs: number): Deadline => {
  const total = deadlineAfter(totalMs);
  return { remainingMs: () => Math.min(stepMs, total.remainingMs()) };
};
