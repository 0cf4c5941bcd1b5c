// All statements on api_keys except those in cascade.rows.ts. A database trigger records each
// change for the policy feed, so no statement here writes a version.
import { SEARCH_MATCHES_MAX } from '@keyrail/protocol/wire/limits.ts';
import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import { conflict, notFound } from '../../base/errors.ts';
import { idRangeOf } from '../../base/prefix-range.ts';
import type { Listed, PageSize, SizedPage } from '../../base/sized-page.ts';
import { beginsWith, build, maybe, newestMatches, one, sizedPage } from '../../db/sql.ts';
import type { RateLimit, Tables } from '../../db/tables.ts';
import type { Read, Write } from '../../doors/door.ts';
import { miss } from '../../doors/miss.ts';
import type { Env } from '../../doors/reach.ts';
import { partitionsOf, partitionTypeFor, SEARCH_PARTITION_TYPE } from './list-partition.ts';

type Columns = Tables['apiKeys'];

type Row = Selectable<Columns>;

/** `lastUsedAt` comes from telemetry; null when no use was reported. */
export type KeyRow = Row & { lastUsedAt: Date | null };

/** The last admitted request of the newest day that has one. */
const lastUse = sql`(select last_at from usage_key_days
  where key_id = api_keys.id and last_at is not null order by day desc limit 1)`;

const rows = build
  .selectFrom('apiKeys')
  .selectAll()
  .select(lastUse.$castTo<Date | null>().as('lastUsedAt'));

export async function loadKey(tx: Read, id: string): Promise<KeyRow> {
  const row = await maybe(tx, rows.where('id', '=', id));
  return row ?? miss(tx, 'API key', id);
}

/** Locks the key's row, so that no other transaction changes it until this one ends. */
export async function lockKey(tx: Write, id: string): Promise<KeyRow> {
  const row = await maybe(tx, rows.where('id', '=', id).forUpdate());
  return row ?? miss(tx, 'API key', id);
}

/**
 * Locks project and tenant against deletion until the transaction ends. The locks are shared, so
 * keys can be created concurrently. The project is always locked first, to avoid deadlocks.
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

export type Position = { createdAt: Date; id: string };

export type KeyFilter = {
  projectId?: string | undefined;
  tenantId?: string | undefined;
  env?: Env | undefined;
  includeRevoked: boolean;
  /** The start of a name, of a display prefix or of an id. */
  q?: string | undefined;
};

export type ListedKey = Listed<Omit<KeyRow, 'meta' | Unlisted>>;

type Unlisted =
  | ('workspaceId' | 'lookupHash' | 'metaBytes' | 'vendorExpiresAt')
  | ('changeId' | 'retiredAt' | 'shelf' | 'nameKey' | 'prefixKey');

const columns = sql`id, project_id, tenant_id, env, display_prefix, name, scopes, rate_limits,
  expires_at, revoked_at, revoked_reason, quarantined_at, quarantine_reason, rotated_from,
  imported, created_at, (select last_at from usage_key_days
    where key_id = page.id and last_at is not null order by day desc limit 1) as last_used_at`;

/**
 * Newest first, starting after a position. The newest keys of each list partition are read from an
 * index, so the cost depends on the page size only, not on the number of keys or the filter. A
 * search reads a bounded number of matches from the index of each field.
 */
export function listKeys(
  tx: Read,
  { filter, after }: { filter: KeyFilter; after: Position | null },
  { limit, metaBytes }: PageSize,
): Promise<SizedPage<ListedKey>> {
  const { projectId = tx.reach.projectId, tenantId = tx.reach.tenantId, env, q } = filter;
  const envs = tx.reach.envs.filter((each) => env === undefined || each === env);
  const place = [
    ...(projectId === undefined ? [] : [sql`project_id = ${projectId}`]),
    ...(tenantId === undefined ? [] : [sql`tenant_id = ${tenantId}`]),
  ];
  const partitions = partitionsOf(envs, filter);
  if (q !== undefined) {
    const listed = keysOf(
      newestMatches({ matches: matchesOf(q, partitions, place), after, limit }),
    );
    return sizedPage(tx, { listed, columns }, metaBytes);
  }
  const listed = fromEach(partitions, {
    type: partitionTypeFor({ projectId, tenantId }),
    conditions: [
      ...place,
      ...(after ? [sql`(created_at, id) < (${after.createdAt}, ${after.id})`] : []),
    ],
    order: sql`created_at desc, id desc`,
    limit,
  });
  const newest = sql`${listed} order by created_at desc, id desc limit ${limit}`;
  return sizedPage(tx, { listed: newest, columns }, metaBytes);
}

type Scan = {
  type: string;
  conditions: RawBuilder<unknown>[];
  order: RawBuilder<unknown>;
  limit: number;
  selected?: RawBuilder<unknown>;
};

/** Reads the first keys of each partition, in the order of an index. */
function fromEach(partitions: number[], scan: Scan): RawBuilder<unknown> {
  const { conditions, order, limit, selected = sql`*` } = scan;
  const type = sql.raw(scan.type);
  const all = [sql`shelf::${type} = covered.shelf::${type}`, ...conditions];
  return sql`
    select first.* from unnest(${partitions}::smallint[]) as covered (shelf)
    cross join lateral (
      select ${selected} from api_keys where ${sql.join(all, sql` and `)}
      order by ${order} limit ${limit}
    ) first`;
}

/** The matches of a search by each field. */
function matchesOf(
  q: string,
  partitions: number[],
  place: RawBuilder<unknown>[],
): RawBuilder<unknown>[] {
  const by = (condition: RawBuilder<unknown>, order: RawBuilder<unknown>) =>
    fromEach(partitions, {
      type: SEARCH_PARTITION_TYPE,
      conditions: [condition, ...place],
      order,
      limit: SEARCH_MATCHES_MAX,
      selected: sql`id, created_at`,
    });
  const ids = idRangeOf(q);
  return [
    by(beginsWith(sql`name_key`, q), sql`name_key, created_at desc`),
    by(beginsWith(sql`prefix_key`, q), sql`prefix_key, created_at desc`),
    ...(ids ? [by(sql`id >= ${ids.from} and id <= ${ids.to}`, sql`id desc`)] : []),
  ];
}

/** Whole rows of a page. The limit keeps the planner from reading the table in the page's order. */
const keysOf = (page: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select found.* from ${page}
  cross join lateral (select * from api_keys where id = page.id limit 1) found`;

type Changeable = 'name' | 'scopes' | 'meta' | 'rateLimits' | 'expiresAt' | 'vendorExpiresAt';
type Ending = 'revokedAt' | 'revokedReason' | 'quarantinedAt' | 'quarantineReason';

/** The columns of a new row, with JSON columns as values: only this file converts them to text. */
export type NewKey = Omit<Insertable<Columns>, 'meta' | 'rateLimits'> &
  Pick<KeyRow, 'meta' | 'rateLimits'>;

export async function insertKey(
  tx: Write,
  { meta, rateLimits, ...values }: NewKey,
): Promise<KeyRow> {
  await refuseBeyondQuota(tx, values);
  const row = await one(
    tx,
    build
      .insertInto('apiKeys')
      .values({ ...values, meta: JSON.stringify(meta), rateLimits: textOf(rateLimits) })
      .returningAll(),
  );
  return { ...row, lastUsedAt: null };
}

type Place = { projectId: string; tenantId: string; env: Env };

/**
 * Vendors may create any number of keys. On the embed plane, the number is limited per tenant,
 * project and environment. The check is part of the insert, so that successors count too.
 */
async function refuseBeyondQuota(tx: Write, place: Place): Promise<void> {
  const { keysMax } = tx.reach;
  if (keysMax === undefined) return;
  // The count is a separate statement, so that it sees what the last lock holder committed.
  // A lock on the tenant row would deadlock: a deletion holds it while it waits for a rotating key.
  const { projectId, tenantId, env } = place;
  const name = `keys ${tenantId} ${projectId} ${env}`;
  await one(tx, sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0)) is null as held`);
  if ((await countUnrevoked(tx, place, keysMax)) < keysMax) return;
  throw conflict(`There are ${keysMax} keys already: revoke one first.`);
}

/** Stops counting at `most`. */
async function countUnrevoked(tx: Write, place: Place, most: number): Promise<number> {
  const [shelf] = partitionsOf([place.env], { includeRevoked: false });
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
  const row = await one(
    tx,
    build
      .updateTable('apiKeys')
      .set({
        ...values,
        ...(meta !== undefined && { meta: JSON.stringify(meta) }),
        ...(rateLimits !== undefined && { rateLimits: textOf(rateLimits) }),
      })
      .where('id', '=', current.id)
      .returningAll(),
  );
  return { ...row, lastUsedAt: current.lastUsedAt };
}

const textOf = (limits: RateLimit[] | null): string | null => limits && JSON.stringify(limits);

/**
 * The policy version at which a key was last written. If that change has been pruned, the floor is
 * returned instead: no node can follow the feed from below it.
 */
export async function loadVersion(tx: Read, { changeId, projectId }: KeyRow): Promise<number> {
  const { version } = await one(
    tx,
    sql<{ version: number }>`
      select coalesce(written.version, current.floor) as version
      from project_versions current left join policy_changes written
        on written.change_id = ${changeId} and written.project_id = current.project_id
      where current.project_id = ${projectId}`,
  );
  return version;
}
