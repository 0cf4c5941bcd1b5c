// A key is unused for a number of days if it was created and last used at least that long ago.
import { type Sql, sql } from '../../base/sql.ts';

/**
 * A subquery is evaluated once per statement. A direct call to the clock would prevent the use of
 * an index.
 */
export const unusedSince = (days: number): Sql =>
  sql`(select app_now() - ${days}::int * interval '1 day')`;

/** A condition on a row of `api_keys`. Finds the last use in the same way as `last_used_at`. */
export const isUnused = (days: number): Sql =>
  sql`coalesce((select last_at from usage_key_days
      where key_id = api_keys.id and last_at is not null order by day desc limit 1),
    api_keys.created_at) <= ${unusedSince(days)} and api_keys.created_at <= ${unusedSince(days)}`;
