// All SQL statements for api_keys except cascades, lists and counts. A database trigger records
// each change for the policy feed, so no statement here writes a version.
import type { RateLimit } from '@keyrail/protocol/validators.ts';
import type { KeyState } from '@keyrail/protocol/wire/key-states.ts';
import { conflict, notFound } from '../../base/errors.ts';
import { changesOf, type Sql, sql, valuesOf } from '../../base/sql.ts';
import { byIds, many, maybe, one } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Read, Write } from '../../doors/door.ts';
import { miss } from '../../doors/miss.ts';
import { type Check, locking } from '../../doors/plan.ts';
import type { Env } from '../../doors/reach.ts';
import { apiKeyState } from '../credentials/key-state.ts';
import { partitionsOf } from './list-partition.ts';

type Row = Tables['apiKeys'];
type Stated = Row & { state: KeyState };

/** `lastUsedAt` comes from telemetry; null if no use has been reported. */
export type KeyRow = Stated & { lastUsedAt: Date | null };

/**
 * Selects keys with their state and last use. `last_used_at` is the last allowed request on the
 * newest day that has one.
 */
const keyWhere = (condition: Sql): Sql<KeyRow> => sql`
  select *, ${apiKeyState} as state, (select last_at from usage_key_days
    where key_id = api_keys.id and last_at is not null order by day desc limit 1) as last_used_at
  from api_keys where ${condition}`;

export async function loadKey(tx: Read, id: string): Promise<KeyRow> {
  const row = await maybe(tx, keyWhere(sql`id = ${id}`));
  return row ?? miss(tx, 'API key', id);
}

/** Returns the IDs of the keys that the caller can access. */
export async function listKnownIds(tx: Read, ids: readonly string[]): Promise<string[]> {
  const found = await many(
    tx,
    sql<{ id: string }>`select id from ${byIds('api_keys', ids, sql`true`)}`,
  );
  return found.map(({ id }) => id);
}

/** Returns null if there is no such key, or if the caller can't access it. */
export const findKey = (
  tx: Read,
  by: { id: string } | { lookupHash: Buffer },
): Promise<KeyRow | null> =>
  maybe(tx, keyWhere('id' in by ? sql`id = ${by.id}` : sql`lookup_hash = ${by.lookupHash}`));

/**
 * Whether nodes have any imported keys: in one project, or in all projects that the caller can
 * access if no project is given.
 */
export async function hasImportedKeys(tx: Read, projectId: string | undefined): Promise<boolean> {
  const ofProject = projectId === undefined ? sql`` : sql`and project_id = ${projectId}`;
  const { held } = await one(
    tx,
    sql<{ held: boolean }>`select exists (select from api_keys where imported
      and revoked_at is null and disabled_at is null and retired_at is null ${ofProject}) as held`,
  );
  return held;
}

/** Locks the key's row, so that no other transaction changes it until this one ends. */
export async function lockKey(tx: Check, id: string): Promise<KeyRow> {
  const row = await maybe(tx, keyWhere(sql`id = ${id} ${locking(tx, sql`for update`)}`));
  return row ?? miss(tx, 'API key', id);
}

/**
 * Locks the project and the tenant against deletion until the transaction ends. The locks are
 * shared, so keys can be created concurrently. The project is always locked first, to avoid
 * deadlocks.
 */
export async function lockParents(
  tx: Write,
  { projectId, tenantId }: { projectId: string; tenantId: string },
): Promise<void> {
  const { project, tenant } = await one(
    tx,
    sql<{ project: string | null; tenant: string | null }>`
      with held_project as (
        select id from projects where id = ${projectId} and deleted_at is null for share
      ), held_tenant as (
        select id from tenants where id = ${tenantId} and deleted_at is null for share
      )
      select (select id from held_project) as project, (select id from held_tenant) as tenant`,
  );
  if (project === null) throw notFound('project');
  if (tenant === null) throw notFound('tenant');
}

type Changeable = 'name' | 'scopes' | 'meta' | 'rateLimits' | 'expiresAt' | 'vendorExpiresAt';
type Ending =
  | ('revokedAt' | 'revokedReason' | 'quarantinedAt' | 'quarantineReason')
  | ('disabledAt' | 'disabledReason');

/** The columns of a new row. Only this file converts JSON columns to text. */
export type NewKey = Pick<
  Row,
  | ('id' | 'projectId' | 'tenantId' | 'env' | 'lookupHash' | 'displayPrefix' | 'rotatedFrom')
  | (Changeable | 'createdAt')
>;

export async function insertKey(
  tx: Write,
  { meta, rateLimits, ...values }: NewKey,
): Promise<KeyRow> {
  await refuseBeyondQuota(tx, values);
  const row = await one(
    tx,
    sql<Stated>`insert into api_keys ${valuesOf({
      ...values,
      meta: JSON.stringify(meta),
      rateLimits: textOf(rateLimits),
    })} returning *, ${apiKeyState} as state`,
  );
  return { ...row, lastUsedAt: null };
}

type Place = { projectId: string; tenantId: string; env: Env };

/**
 * Vendors may create any number of keys. For embed tokens, the number is limited per tenant,
 * project and environment. The check is part of the insert, so that keys created by rotations are
 * also counted.
 */
async function refuseBeyondQuota(tx: Write, place: Place): Promise<void> {
  const { keysMax } = tx.reach;
  if (keysMax === undefined) return;
  // The count is a separate statement, so that it sees what the lock's last holder committed.
  // Locking the tenant row instead could deadlock, because a deletion holds that lock while it
  // waits for a rotating key.
  const { projectId, tenantId, env } = place;
  const name = `keys ${tenantId} ${projectId} ${env}`;
  await one(tx, sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0)) is null as held`);
  if ((await countUnrevoked(tx, place, keysMax)) < keysMax) return;
  throw conflict(`There are already ${keysMax} keys. Revoke one first.`);
}

/** Counts a tenant's unrevoked keys in a project and environment, up to `most`. */
async function countUnrevoked(tx: Write, place: Place, most: number): Promise<number> {
  const [shelf = null] = partitionsOf([place.env], { includeRevoked: false });
  const { keys } = await one(
    tx,
    sql<{ keys: number }>`select count(*)::int as keys from (
      select from api_keys
      where tenant_id = ${place.tenantId} and shelf = ${shelf} and project_id = ${place.projectId}
      limit ${most}) counted`,
  );
  return keys;
}

/** Updates a row that lockKey() locked, and returns the new state. */
export async function updateKeyRow(
  tx: Write,
  current: KeyRow,
  { meta, rateLimits, ...values }: Partial<Pick<Row, Changeable | Ending>>,
): Promise<KeyRow> {
  const changes = changesOf({
    ...values,
    meta: meta && JSON.stringify(meta),
    rateLimits: rateLimits === undefined ? undefined : textOf(rateLimits),
  });
  const row = await one(
    tx,
    sql<Stated>`update api_keys set ${changes} where id = ${current.id}
      returning *, ${apiKeyState} as state`,
  );
  return { ...row, lastUsedAt: current.lastUsedAt };
}

const textOf = (limits: RateLimit[] | null): string | null => limits && JSON.stringify(limits);
