import { type Sql, sql } from '../../base/sql.ts';

/** The condition on `invites` under which an invitation can still be accepted. */
export const isPending = (now: Date): Sql =>
  sql`accepted_at is null and revoked_at is null and expires_at > ${now}`;
