// Times in queues that are due, also after the clock was set back: what was written by a clock that
// was ahead must not wait until the right clock has caught up.
import { type Sql, sql } from '../../base/sql.ts';

/**
 * Whether the row of a queue is due. `pausesMs` are the longest pauses after each number of
 * attempts, from 0 on. A time that is further ahead comes from a clock that was set back since.
 */
export const isDue = (now: Date, pausesMs: readonly number[]): Sql =>
  sql`(due_at <= ${now} or due_at > ${now}::timestamptz + interval '1 millisecond'
    * (${pausesMs}::bigint[])[least(attempts, ${pausesMs.length - 1}::int) + 1])`;

/**
 * Whether no worker holds the claim of a row. If the clock was set back by less than a claim, the
 * holder may still be working.
 */
export const isUnclaimed = (now: Date, claimMs: number): Sql =>
  sql`(claimed_until is null or claimed_until <= ${now}
    or claimed_until > ${now}::timestamptz + ${2 * claimMs} * interval '1 millisecond')`;
