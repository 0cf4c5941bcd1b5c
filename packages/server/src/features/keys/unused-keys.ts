// A key counts as unused for a number of days if it was created at least that long ago and has not
// been used since.
import { type Sql, sql } from '../../base/sql.ts';

/**
 * The clock is read in a subquery, which is evaluated once per statement. A direct call to the
 * clock would rule out using an index.
 */
export const unusedSince = (days: number): Sql =>
  sql`(select app_now() - ${days}::int * interval '1 day')`;

/** A condition on an `api_keys` row. Determines the last use in the same way as `last_used_at`. */
export const isUnused = (days: number): Sql =>
  sql`coalesce((select last_at from usage_key_days
      where key_id = api_keys.id and last_at is not null order by day desc limit 1),
    api_keys.created_at) <= ${unusedSince(days)} and api_keys.created_at <= ${unusedSince(days)}`;
