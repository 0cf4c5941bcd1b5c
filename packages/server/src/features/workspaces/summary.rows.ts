// Counts for the workspace summary that no other feature provides.
import { COUNTED_MAX } from '@keyrail/protocol/wire/limits.ts';
import { sql } from '../../base/sql.ts';
import { one } from '../../db/sql.ts';
import type { Read } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';

export type Belongings = {
  projects: number;
  tenants: number;
  secretKeys: number;
  firstRequestAt: Date | null;
  lastRequestAt: Date | null;
};

/**
 * Each count stops at its limit. For secret keys, only the newest rows are examined. The times of
 * the first and last requests cover all projects, so they are null if the caller can access only
 * some projects.
 */
export const loadBelongings = (tx: Read, envs: readonly Env[]): Promise<Belongings> =>
  one(
    tx,
    sql<Belongings>`
      select
        (select count(*)::int from (select from projects where deleted_at is null
          order by created_at desc, id desc limit ${COUNTED_MAX}) counted) as projects,
        (select count(*)::int from (select from tenants where deleted_at is null
          order by created_at desc, id desc limit ${COUNTED_MAX}) counted) as tenants,
        (select count(*)::int from (select env, revoked_at, expires_at from secret_keys
          order by created_at desc, id desc limit ${COUNTED_MAX}) counted
          where env = any (${envs}::env[]) and revoked_at is null
            and (expires_at is null or expires_at > (select app_now()))) as secret_keys,
        spans.first_request_at, spans.last_request_at
      from (
        select min(first_at) as first_request_at, max(last_at) as last_request_at
        from traffic_spans where env = any (${envs}::env[])
          and ${tx.reach.projectIds === undefined}::boolean) spans`,
  );
