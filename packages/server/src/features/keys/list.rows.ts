// Lists of keys, newest first: by project or tenant, by state, by last use, and by the start of a
// field.
import type { KeyState } from '@keyrail/protocol/wire/key-states.ts';
import { SEARCH_MATCHES_MAX, UNUSED_KEYS_EXAMINED_MAX } from '@keyrail/protocol/wire/limits.ts';
import { idRangeOf } from '../../base/prefix-range.ts';
import type { Listed, PageSize, SizedPage } from '../../base/sized-page.ts';
import { allOf, anyOf, named, type Sql, sql } from '../../base/sql.ts';
import { beginsWith, byIds, maybe, newestMatches, sizedPage } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Read } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import { apiKeyState, endsIn, stateShelfOf } from '../credentials/key-state.ts';
import { partitionsIn, partitionTypeFor, SEARCH_PARTITION_TYPE } from './list-partition.ts';
import { isUnused, unusedSince } from './unused-keys.ts';

export type Position = { createdAt: Date; id: string };

export type KeyFilter = {
  projectId?: string | undefined;
  tenantId?: string | undefined;
  env?: Env | undefined;
  includeRevoked: boolean;
  /** Only keys in this state; `includeRevoked` is then ignored. */
  state?: KeyState | undefined;
  unusedDays?: number | undefined;
  ids?: readonly string[] | undefined;
  /** The start of a name, display prefix or ID. */
  q?: string | undefined;
};

type Row = Tables['apiKeys'] & { state: KeyState; lastUsedAt: Date | null };

export type ListedKey = Listed<Omit<Row, 'meta' | Unlisted>>;

type Unlisted =
  | ('workspaceId' | 'lookupHash' | 'metaBytes' | 'vendorExpiresAt' | 'changeId' | 'retiredAt')
  | ('shelf' | 'stateShelf' | 'endsAt' | 'nameKey' | 'prefixKey');

const columns = sql`id, project_id, tenant_id, env, display_prefix, name, scopes, rate_limits,
  expires_at, revoked_at, revoked_reason, quarantined_at, quarantine_reason, disabled_at,
  disabled_reason, rotated_from, imported, created_at, ${apiKeyState} as state,
  (select last_at from usage_key_days
    where key_id = page.id and last_at is not null order by day desc limit 1) as last_used_at`;

/**
 * Lists keys, newest first, starting after a given position. The newest keys of each list partition
 * are read from an index, so the cost depends only on the page size, not on the number of keys or
 * the filter. A search reads a bounded number of matches from each field's index.
 */
export async function listKeys(
  tx: Read,
  { filter, after }: { filter: KeyFilter; after: Position | null },
  { limit, metaBytes }: PageSize,
): Promise<SizedPage<ListedKey>> {
  const { ids, q } = filter;
  if (ids !== undefined) {
    const found = byIds('api_keys', ids, allOf(conditionsOf(tx, filter, after)));
    const listed = newestOf(sql`select * from ${found}`, limit);
    return sizedPage(tx, { listed, columns }, metaBytes);
  }
  if (q !== undefined) {
    const listed = keysOf(newestMatches({ matches: matchesOf(tx, q, filter), after, limit }));
    return sizedPage(tx, { listed, columns }, metaBytes);
  }
  const scan = scanOf(tx, filter, after);
  const end = filter.unusedDays === undefined ? null : await findEnd(tx, scan);
  const listed = newestOf(
    fromEach({
      ...scan,
      conditions: [
        ...scan.conditions,
        ...(end ? [sql`(created_at, id) >= (${end.createdAt}, ${end.id})`] : []),
        ...unusedIn(filter),
      ],
      limit,
    }),
    limit,
  );
  return { ...(await sizedPage<ListedKey>(tx, { listed, columns }, metaBytes)), end };
}

const newestOf = (keys: Sql, limit: number): Sql =>
  sql`${keys} order by created_at desc, id desc limit ${limit}`;

const unusedIn = ({ unusedDays }: KeyFilter): Sql[] =>
  unusedDays === undefined ? [] : [isUnused(unusedDays)];

/** Finds the last key that a page may examine; null if it may examine all remaining keys. */
const findEnd = (tx: Read, scan: Scan): Promise<Position | null> =>
  maybe(
    tx,
    sql<Position>`select created_at, id from (${newestOf(
      fromEach({ ...scan, selected: sql`created_at, id`, limit: UNUSED_KEYS_EXAMINED_MAX }),
      UNUSED_KEYS_EXAMINED_MAX,
    )}) examined
      order by created_at desc, id desc offset ${UNUSED_KEYS_EXAMINED_MAX - 1} limit 1`,
  );

type Scan = {
  /** The partitions to read, and a comparison that only the intended index supports. */
  partitions: number[];
  /** If set, each of these projects is read separately. */
  projectIds: string[] | null;
  covers: Sql;
  conditions: Sql[];
  order: Sql;
  selected?: Sql;
};

const envsIn = (tx: Read, { env }: KeyFilter): Env[] =>
  tx.reach.envs.filter((each) => env === undefined || each === env);

function placeIn(tx: Read, filter: KeyFilter) {
  const { tenantId = tx.reach.tenantId } = filter;
  const [projectId, ...others] =
    filter.projectId === undefined ? (tx.reach.projectIds ?? []) : [filter.projectId];
  const type = partitionTypeFor({ projectId, tenantId });
  const ofTenant = tenantId === undefined ? [] : [sql`tenant_id = ${tenantId}`];
  if (projectId === undefined) return { conditions: ofTenant, type, projectIds: null };
  if (others.length === 0) {
    return { conditions: [sql`project_id = ${projectId}`, ...ofTenant], type, projectIds: null };
  }
  // Row-level security limits a tenant's keys to the projects that the caller can access.
  return tenantId === undefined
    ? { conditions: [sql`project_id = wanted.id`], type, projectIds: [projectId, ...others] }
    : { conditions: ofTenant, type, projectIds: null };
}

const ofPartition = (type: string): Sql =>
  sql`shelf::${named(type)} = covered.shelf::${named(type)}`;

/** A list's keys, newest first, which is the order of an index. */
function scanOf(tx: Read, filter: KeyFilter, after: Position | null): Scan {
  const { state, unusedDays } = filter;
  const envs = envsIn(tx, filter);
  const place = placeIn(tx, filter);
  const conditions = [
    ...place.conditions,
    ...(after ? [sql`(created_at, id) < (${after.createdAt}, ${after.id})`] : []),
    ...(unusedDays === undefined ? [] : [sql`created_at <= ${unusedSince(unusedDays)}`]),
  ];
  const order = sql`created_at desc, id desc`;
  const { projectIds } = place;
  if (state === undefined) {
    const partitions = partitionsIn(envs, filter);
    return { partitions, projectIds, covers: ofPartition(place.type), conditions, order };
  }
  return {
    partitions: envs.map((env) => stateShelfOf(state, env)),
    projectIds,
    covers: sql`state_shelf = covered.shelf`,
    conditions: [...conditions, ...endsIn(state)],
    order,
  };
}

/** Reads each partition's first keys, in index order. */
function fromEach(scan: Scan & { limit: number }): Sql {
  const { partitions, projectIds, covers, conditions, order, limit, selected = sql`*` } = scan;
  const each = projectIds ? sql`cross join unnest(${projectIds}::uuid[]) as wanted (id)` : sql``;
  return sql`
    select first.* from unnest(${partitions}::smallint[]) as covered (shelf) ${each}
    cross join lateral (
      select ${selected} from api_keys where ${allOf([covers, ...conditions])}
      order by ${order} limit ${limit}
    ) first`;
}

/** The state and last-use filters, as conditions on single keys. */
function checksIn(tx: Read, filter: KeyFilter): Sql[] {
  const { state } = filter;
  if (state === undefined) return unusedIn(filter);
  const shelves = envsIn(tx, filter).map((env) => stateShelfOf(state, env));
  const isInState = sql`state_shelf = any (${shelves}::smallint[])`;
  return [isInState, ...endsIn(state), ...unusedIn(filter)];
}

/** All filters, as conditions on single keys. */
function conditionsOf(tx: Read, filter: KeyFilter, after: Position | null): Sql[] {
  const { projectId, tenantId, q } = filter;
  return [
    sql`shelf = any (${partitionsIn(envsIn(tx, filter), filter)}::smallint[])`,
    ...(projectId === undefined ? [] : [sql`project_id = ${projectId}`]),
    ...(tenantId === undefined ? [] : [sql`tenant_id = ${tenantId}`]),
    ...checksIn(tx, filter),
    ...(q === undefined ? [] : [anyOf(fieldsMatching(q).map(({ condition }) => condition))]),
    ...(after ? [sql`(created_at, id) < (${after.createdAt}, ${after.id})`] : []),
  ];
}

function fieldsMatching(q: string): { condition: Sql; order: Sql }[] {
  const ids = idRangeOf(q);
  const byIdRange = ids && {
    condition: sql`(id >= ${ids.from} and id <= ${ids.to})`,
    order: sql`id desc`,
  };
  return [
    { condition: beginsWith(sql`name_key`, q), order: sql`name_key, created_at desc` },
    { condition: beginsWith(sql`prefix_key`, q), order: sql`prefix_key, created_at desc` },
    ...(byIdRange ? [byIdRange] : []),
  ];
}

/** Searches one field at a time. The state and last-use filters apply only to the matches. */
function matchesOf(tx: Read, q: string, filter: KeyFilter): Sql[] {
  const partitions = partitionsIn(envsIn(tx, filter), filter);
  const checks = checksIn(tx, filter);
  const place = placeIn(tx, filter);
  return fieldsMatching(q).map(({ condition, order }) => {
    const matches = fromEach({
      partitions,
      projectIds: place.projectIds,
      covers: ofPartition(SEARCH_PARTITION_TYPE),
      conditions: [condition, ...place.conditions],
      order,
      limit: SEARCH_MATCHES_MAX,
      selected: sql`id, created_at, state_shelf, ends_at`,
    });
    const where = checks.length === 0 ? sql`` : sql`where ${allOf(checks)}`;
    return sql`select id, created_at from (${matches}) api_keys ${where}`;
  });
}

/**
 * Loads a page's complete rows. The limit keeps the planner from reading the whole table in page
 * order.
 */
const keysOf = (page: Sql): Sql => sql`
  select found.* from ${page}
  cross join lateral (select * from api_keys where id = page.id limit 1) found`;
