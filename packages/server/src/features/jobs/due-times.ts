// Determines when queued work is due. If the clock was ahead and has been set back, times written
// in between are in the future; they must not delay the work.
import { type Sql, sql } from '../../base/sql.ts';

/**
 * Whether a queued row is due. `pausesMs` lists the longest pause before the next attempt, by the
 * number of attempts made. A row due later than that must have been written before the clock was
 * set back, so it is due now.
 */
export const isDue = (now: Date, pausesMs: readonly number[]): Sql =>
  sql`(due_at <= ${now} or due_at > ${now}::timestamptz + interval '1 millisecond'
    * (${pausesMs}::bigint[])[least(attempts, ${pausesMs.length - 1}::int) + 1])`;

/**
 * Whether no worker has a valid claim on a row. A claim that ends more than two claim durations
 * from now was made before the clock was set back, and is no longer valid. A claim that ends sooner
 * is valid, because the worker that holds it may still be working.
 */
export const isUnclaimed = (now: Date, claimMs: number): Sql =>
  sql`(claimed_until is null or claimed_until <= ${now}
    or claimed_until > ${now}::timestamptz + ${2 * claimMs} * interval '1 millisecond')`;
