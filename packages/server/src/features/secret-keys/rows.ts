// All SQL statements for secret_keys.
import type { SecretKeyState } from '@keyrail/protocol/wire/key-states.ts';
import { SECRET_KEY_USE_DAYS } from '@keyrail/protocol/wire/limits.ts';
import type { Permission } from '@keyrail/protocol/wire/permissions.ts';
import { notFound } from '../../base/errors.ts';
import type { Listed, PageSize, SizedPage } from '../../base/sized-page.ts';
import { changesOf, type Sql, sql, valuesOf } from '../../base/sql.ts';
import { byIds, many, maybe, one, sizedPage } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Read, Write } from '../../doors/door.ts';
import { miss } from '../../doors/miss.ts';
import { type Check, locking } from '../../doors/plan.ts';
import { secretKeyState } from '../credentials/key-state.ts';

type Columns = Tables['secretKeys'];

type Stated = Columns & { state: SecretKeyState };

export type SecretKeyRow = Stated & { lastUsedAt: Date | null };

const withId = (id: string): Sql<SecretKeyRow> =>
  sql`select k.*, ${secretKeyState} as state, u.used_at as last_used_at
    from secret_keys k left join secret_key_uses u on u.secret_key_id = k.id where k.id = ${id}`;

export async function loadSecretKey(tx: Read, id: string): Promise<SecretKeyRow> {
  const row = await maybe(tx, withId(id));
  return row ?? miss(tx, 'secret key', id);
}

/** Loads and locks the row, so that no other transaction can change the key until this one ends. */
export async function lockSecretKey(tx: Check, id: string): Promise<SecretKeyRow> {
  const locked = sql<SecretKeyRow>`${withId(id)} ${locking(tx, sql`for update of k`)}`;
  const row = await maybe(tx, locked);
  return row ?? miss(tx, 'secret key', id);
}

export type UsedPermission = { permission: Permission; lastUsedAt: Date };

/** The permissions that the key's requests have recently needed, most recent first. */
export const listPermissionUses = (tx: Read, id: string): Promise<UsedPermission[]> =>
  many(
    tx,
    sql<UsedPermission>`select used.key as permission, used.value::timestamptz as last_used_at
      from secret_key_uses u cross join lateral jsonb_each_text(u.permissions) used
      where u.secret_key_id = ${id}
        and used.value::timestamptz > app_now() - make_interval(days => ${SECRET_KEY_USE_DAYS})
      order by last_used_at desc, permission`,
  );

/**
 * The maximum length of a chain of keys in which each created the next. Longer chains aren't
 * followed.
 */
const CHAIN_MAX = 1000;

/**
 * Finds the user who created the key, directly or through a chain of other keys; null if there is
 * no such user.
 */
export async function findPersonBehindKey(tx: Read, id: string): Promise<string | null> {
  const found = sql<{ creator: string }>`with recursive chain (creator, length) as (
      select created_by, 1 from secret_keys where id = ${id}
      union all select k.created_by, chain.length + 1
        -- The limit keeps the planner from reading all secret keys.
        from chain cross join lateral (
          select created_by from secret_keys where id = chain.creator limit 1) k
        where chain.length < ${CHAIN_MAX})
    select creator from chain
    where creator is not null
      and (select k.id from secret_keys k where k.id = creator limit 1) is null`;
  return (await maybe(tx, found))?.creator ?? null;
}

type Ending = 'revokedAt' | 'revokedReason' | 'quarantinedAt' | 'quarantineReason';

export type NewSecretKeyRow = Omit<Columns, 'workspaceId' | 'metaBytes' | Ending>;

type Position = { createdAt: Date; id: string };

export type ListedSecretKey = Listed<Omit<SecretKeyRow, 'meta' | Unlisted>>;

type Unlisted = 'workspaceId' | 'lookupHash' | 'metaBytes' | 'vendorExpiresAt';

const columns = sql`id, env, display_prefix, name, expires_at, revoked_at, revoked_reason,
  quarantined_at, quarantine_reason, rotated_from, created_at, last_used_at, authority,
  created_by, permissions, project_ids, networks, ${secretKeyState} as state`;

/** Lists secret keys, newest first, starting after the given position. */
export function listSecretKeys(
  tx: Read,
  { ids, after }: { ids: readonly string[] | undefined; after: Position | null },
  { limit, metaBytes }: PageSize,
): Promise<SizedPage<ListedSecretKey>> {
  const keys = ids ? byIds('secret_keys', ids, sql`true`) : sql`secret_keys named`;
  const onwards = after
    ? sql`where (named.created_at, named.id) < (${after.createdAt}, ${after.id})`
    : sql``;
  const listed = sql`select named.*, u.used_at as last_used_at
    from ${keys} left join secret_key_uses u on u.secret_key_id = named.id ${onwards}
    order by named.created_at desc, named.id desc limit ${limit}`;
  return sizedPage(tx, { listed, columns }, metaBytes);
}

export async function insertSecretKey(
  tx: Write,
  { meta, ...values }: NewSecretKeyRow,
): Promise<SecretKeyRow> {
  const row = await one(
    tx,
    sql<Stated>`insert into secret_keys
      ${valuesOf({ ...values, meta: JSON.stringify(meta) })}
      returning *, ${secretKeyState} as state`,
  );
  return { ...row, lastUsedAt: null };
}

/** Throws 404 if a project has been deleted or the caller can't access it. */
export async function requireProjects(tx: Read, ids: readonly string[] | null): Promise<void> {
  if (ids === null) return;
  const counted = sql<{ known: number }>`select count(*)::int as known
    from ${byIds('projects', ids, sql`deleted_at is null`)}`;
  if ((await one(tx, counted)).known < ids.length) throw notFound('project');
}

type Changeable =
  | ('name' | 'meta' | 'expiresAt' | 'vendorExpiresAt')
  | ('permissions' | 'projectIds' | 'networks')
  | Ending;

/** Updates a locked row and returns the new row. */
export async function updateSecretKey(
  tx: Write,
  current: SecretKeyRow,
  { meta, ...values }: Partial<Pick<Columns, Changeable>>,
): Promise<SecretKeyRow> {
  const changes = { ...values, ...(meta && { meta: JSON.stringify(meta) }) };
  const row = await one(
    tx,
    sql<Stated>`update secret_keys set ${changesOf(changes)} where id = ${current.id}
      returning *, ${secretKeyState} as state`,
  );
  return { ...row, lastUsedAt: current.lastUsedAt };
}
