// Lists keys that expire soon or are unused, for the jobs that send notifications about them.
import { type Sql, sql } from '../../base/sql.ts';
import { many } from '../../db/sql.ts';
import type { Env } from '../../doors/reach.ts';
import type { Work } from '../../doors/work.ts';

export type EndingKey = {
  id: string;
  workspaceId: string;
  env: Env;
  /** Null for a secret key, which has no project. The same applies to `tenantId`. */
  projectId: string | null;
  tenantId: string | null;
  displayPrefix: string;
  expiresAt: Date;
  /** Whether the workspace has an enabled webhook endpoint. */
  isHeard: boolean;
};

type EndingPage = {
  /** Only keys that expire after this time are listed. */
  from: Date;
  /** Only keys that expire at or before this time are listed. */
  to: Date;
  after: { expiresAt: Date; id: string } | null;
  limit: number;
};

/** Lists API keys that are not revoked. */
export const listEndingKeys = (tx: Work, page: EndingPage): Promise<EndingKey[]> =>
  listEnding(
    tx,
    sql`select id, workspace_id, env, project_id, tenant_id, display_prefix, expires_at
      from api_keys where revoked_at is null and retired_at is null and expires_at is not null`,
    page,
  );

/** Lists secret keys that are not revoked. */
export const listEndingSecretKeys = (tx: Work, page: EndingPage): Promise<EndingKey[]> =>
  listEnding(
    tx,
    sql`select id, workspace_id, env, null::uuid as project_id, null::uuid as tenant_id,
        display_prefix, expires_at
      from secret_keys where revoked_at is null and expires_at is not null`,
    page,
  );

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

function listEnding(
  tx: Work,
  keys: Sql,
  { from, to, after, limit }: EndingPage,
): Promise<EndingKey[]> {
  const place = after ?? { expiresAt: from, id: LAST_ID };
  return many(
    tx,
    sql<EndingKey>`select page.*, coalesce(h.listens, false) as is_heard
      from (${keys} and (expires_at, id) > (${place.expiresAt}, ${place.id}::uuid)
          and expires_at <= ${to}
        order by expires_at, id limit ${limit}) page
      left join audit_heads h on h.workspace_id = page.workspace_id
      order by page.expires_at, page.id`,
  );
}

/**
 * A key that was last used on a given day, or that was created in a given period and never used.
 */
export type UnusedKey = Omit<EndingKey, 'expiresAt'> & { lastUsedAt: Date | null };

/**
 * A key that was used on a given day. `unused` is null if the key has been used since, or is
 * revoked, expired or disabled.
 */
export type LastUsed = { keyId: string; unused: UnusedKey | null };

export type NeverUsed = UnusedKey & { createdAt: Date; isUnused: boolean };

type UsedPage = { day: string; after: string | null; limit: number };

/** Lists the keys used on a given day, in ID order. */
export async function listLastUsedOn(
  tx: Work,
  { day, after, limit }: UsedPage,
): Promise<LastUsed[]> {
  const rows = await many(
    tx,
    sql<UnusedKey & { keyId: string; isUnused: boolean }>`
      select page.key_id, page.last_at as last_used_at, k.*, k.id is not null as is_unused,
        coalesce(h.listens, false) as is_heard
      from (select key_id, last_at from usage_key_days
        where day = ${day}::date and key_id > ${after ?? FIRST_ID}::uuid
        order by key_id limit ${limit}) page
      left join lateral (
        select ${unusedColumns} from api_keys where id = page.key_id and ${isUsable(tx)}
          and page.last_at is not null
          and not exists (select from usage_key_days later where later.key_id = page.key_id
            and later.day > ${day}::date and later.last_at is not null)) k on true
      left join audit_heads h on h.workspace_id = k.workspace_id
      order by page.key_id`,
  );
  return rows.map(({ keyId, isUnused, ...key }) => ({ keyId, unused: isUnused ? key : null }));
}

type CreatedPage = {
  workspaceId: string;
  env: Env;
  from: Date;
  to: Date;
  after: { createdAt: Date; id: string } | null;
  limit: number;
};

/** Lists a workspace's keys that were created in a given period and never used, newest first. */
export const listNeverUsed = (
  tx: Work,
  { workspaceId, env, from, to, after, limit }: CreatedPage,
): Promise<NeverUsed[]> =>
  many(
    tx,
    sql<NeverUsed>`
      select page.*, null::timestamptz as last_used_at, true as is_heard,
        not exists (select from usage_key_days used
          where used.key_id = page.id and used.last_at is not null) as is_unused
      from (select ${unusedColumns}, created_at from api_keys
        where workspace_id = ${workspaceId} and shelf::int = ${env === 'test' ? 2 : 0}
          and created_at >= ${from}
          and (created_at, id) < (${after?.createdAt ?? to}, ${after?.id ?? FIRST_ID}::uuid)
          and ${isUsable(tx)}
        order by created_at desc, id desc limit ${limit}) page
      order by page.created_at desc, page.id desc`,
  );

const unusedColumns = sql`id, workspace_id, env, project_id, tenant_id, display_prefix`;

/** True for `api_keys` rows that are not revoked, expired or disabled. */
const isUsable = ({ now }: Work): Sql =>
  sql`revoked_at is null and disabled_at is null
    and (expires_at is null or expires_at > ${now})`;
