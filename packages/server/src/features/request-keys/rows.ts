// The worker's SQL statement for kept_responses. Requests call database functions instead: see
// doors/request-keys.ts.
import { sql } from '../../base/sql.ts';
import { many } from '../../db/sql.ts';
import type { Work } from '../../doors/work.ts';

/** Returns how many records were removed. */
export async function removeExpiredResponses(
  tx: Work,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const removed = await many(
    tx,
    sql`delete from kept_responses where (workspace_id, key_hash) in (
        select workspace_id, key_hash from kept_responses
        where expires_at <= ${before} order by expires_at limit ${limit})
      and expires_at <= ${before} returning env`,
  );
  return removed.length;
}
