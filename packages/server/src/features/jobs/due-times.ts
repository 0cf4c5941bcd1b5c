// When queued work is due, even after the clock was set back: times written by a clock that was
// ahead must not make work wait until the correct clock has caught up.
import { type Sql, sql } from '../../base/sql.ts';

/**
 * Whether a row of a queue is due. `pausesMs`: the longest pause before the next attempt, by the
 * number of attempts so far. A time further ahead than that comes from a clock that has since been
 * set back.
 */
export const isDue = (now: Date, pausesMs: readonly number[]): Sql =>
  sql`(due_at <= ${now} or due_at > ${now}::timestamptz + interval '1 millisecond'
    * (${pausesMs}::bigint[])[least(attempts, ${pausesMs.length - 1}::int) + 1])`;

/**
 * Whether no worker has claimed a row. If the clock was set back by less than the duration of a
 * claim, the holder may still be working.
 */
export const isUnclaimed = (now: Date, claimMs: number): Sql =>
  sql`(claimed_until is null or claimed_until <= ${now}
    or claimed_until > ${now}::timestamptz + ${2 * claimMs} * interval '1 millisecond')`;
