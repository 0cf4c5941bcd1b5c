// Looks up the credentials in a scanner report, in all workspaces, because the report doesn't say
// which one they belong to.
import { sql } from '../../base/sql.ts';
import { many, type Runner } from '../../db/sql.ts';

/** A credential that a scanner may find. Sessions don't belong to any workspace. */
export type LeakFact = { id: string; hash: string; isPastHarm: boolean } & (
  | { kind: 'api_key' | 'secret_key'; workspaceId: string }
  | { kind: 'session'; workspaceId: null }
);

const LOOK_UPS_PER_STATEMENT_MAX = 500;

/**
 * Finds all credentials with any of these hashes, in any workspace and any state. Several
 * credentials may share a hash, because workspaces import hashes independently. Imported keys come
 * first, then native keys, secret keys and sessions.
 */
export async function findLeaks(
  runner: Runner,
  hashes: readonly string[],
): Promise<Map<string, LeakFact[]>> {
  const found = new Map<string, LeakFact[]>();
  for (let from = 0; from < hashes.length; from += LOOK_UPS_PER_STATEMENT_MAX) {
    const wanted = hashes
      .slice(from, from + LOOK_UPS_PER_STATEMENT_MAX)
      .map((hash) => Buffer.from(hash, 'hex'));
    const rows = await many(
      runner,
      sql<LeakFact>`
        select 'api_key' as kind, id, workspace_id, encode(lookup_hash, 'hex') as hash,
          coalesce(revoked_at, quarantined_at) is not null as is_past_harm,
          case when imported then 1 else 2 end as place
        from api_keys where lookup_hash = any (${wanted}::bytea[])
        union all
        select 'secret_key', id, workspace_id, encode(lookup_hash, 'hex'),
          coalesce(revoked_at, quarantined_at) is not null, 3
        from secret_keys where lookup_hash = any (${wanted}::bytea[])
        union all
        select 'session', id, null, encode(lookup_hash, 'hex'), ended_at is not null, 4
        from sessions where lookup_hash = any (${wanted}::bytea[])
        order by place, id`,
    );
    for (const row of rows) found.set(row.hash, [...(found.get(row.hash) ?? []), row]);
  }
  return found;
}
