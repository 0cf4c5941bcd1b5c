// Finds the secret keys that can be traced back to a user, and revokes keys when that user's
// membership ends.
import { IMPACT_KEYS_MAX } from '@keyrail/protocol/wire/limits.ts';
import { sql } from '../../base/sql.ts';
import { many } from '../../db/sql.ts';
import type { Read, Write } from '../../doors/door.ts';
import type { Env, Role } from '../../doors/reach.ts';

export type MintedKey = {
  id: string;
  createdBy: string | null;
  authority: Role;
  isActive: boolean;
};

/**
 * Lists the keys that a user created, the keys created with those keys, and the new keys from
 * rotating any of these keys, even if someone else rotated it. The audit log is searched through
 * its indexes on actors and targets. The condition on rotations compares `is_live` only because the
 * index on targets includes that column.
 */
export const listMintedKeys = (tx: Read & { now: Date }, userId: string): Promise<MintedKey[]> =>
  many(
    tx,
    sql<MintedKey>`
      with recursive line (id) as (
        select ${userId}::uuid
        union
        select case made.action when 'secret_key.created' then made.target_id
          else (made.payload::json ->> 'successor_id')::uuid end
        from line cross join lateral (
          select action, target_id, payload from audit_logs
          where actor_id = line.id::text
            and action in ('secret_key.created', 'secret_key.rotated')
          union all
          select action, target_id, payload
          from unnest(array[true, false]) as side (is_live) cross join lateral (
            select * from audit_logs
            where target_id = line.id and action = 'secret_key.rotated'
              and is_live = side.is_live
            order by seq::float8 limit ${IMPACT_KEYS_MAX}) rotated
        ) made
      ),
      found as materialized (select id from line limit ${IMPACT_KEYS_MAX})
      select k.id, k.created_by, k.authority,
        k.revoked_at is null and (k.expires_at is null or k.expires_at > ${tx.now}) as is_active
      from found cross join lateral (select * from secret_keys where id = found.id limit 1) k`,
  );

/** Revokes any of the keys that aren't already revoked. */
export const updateRevokedKeys = (
  tx: Write,
  { ids, reason }: { ids: readonly string[]; reason: string },
): Promise<{ id: string; env: Env }[]> =>
  many(
    tx,
    sql<{ id: string; env: Env }>`update secret_keys
      set revoked_at = ${tx.now}, revoked_reason = ${reason}
      where id = any (${ids}::uuid[]) and revoked_at is null returning id, env`,
  );
