import { type Sql, sql } from '../../base/sql.ts';

/** The SQL condition for an invitation that can still be accepted. */
export const isPending = (now: Date): Sql =>
  sql`accepted_at is null and revoked_at is null and expires_at > ${now}`;
