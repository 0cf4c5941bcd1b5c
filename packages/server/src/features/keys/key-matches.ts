// Finds the keys that match a search text. Keys where a field starts with the text are found
// through an index, among all keys. Keys that contain the text elsewhere are found among the newest
// keys, or among all keys if there are trigram indexes.
import { SEARCH_EXAMINED_MAX, SEARCH_MATCHES_MAX } from '@keyrail/protocol/wire/limits.ts';
import { lacks } from '@keyrail/protocol/wire/permissions.ts';
import { idRangeOf } from '../../base/prefix-range.ts';
import { allOf, anyOf, type Sql, sql } from '../../base/sql.ts';
import {
  beginsWith,
  bestMatches,
  fieldsOf,
  idText,
  indexedIn,
  isPart,
  matchesIn,
  matchesText,
  newestIn,
  rankedIn,
} from '../../base/text-match.ts';
import type { Env, Reach } from '../../doors/reach.ts';
import { endsIn, stateShelfOf } from '../credentials/key-state.ts';
import { searchableTenants } from '../tenants/tenant-search.ts';
import {
  envsIn,
  fromEach,
  type KeyFilter,
  ofPartition,
  type Position,
  placeIn,
  unusedIn,
} from './key-scan.ts';
import { partitionsIn, partitionTypeFor, SEARCH_PARTITION_TYPE } from './list-partition.ts';

const nameKey = sql`name_key`;
const prefixKey = sql`prefix_key`;
const fields = [nameKey, prefixKey, idText];

/** The columns that the filters and the matching need. */
const selected = sql`id, created_at, state_shelf, ends_at, name_key, prefix_key`;

/** The filters by state and last use, as conditions on an `api_keys` row. */
function checksIn(envs: readonly Env[], filter: KeyFilter): Sql[] {
  const { state } = filter;
  if (state === undefined) return unusedIn(filter);
  const shelves = envs.map((env) => stateShelfOf(state, env));
  const isInState = sql`state_shelf = any (${shelves}::smallint[])`;
  return [isInState, ...endsIn(state), ...unusedIn(filter)];
}

/** All filters, as conditions on an `api_keys` row. */
export function conditionsOf(reach: Reach, filter: KeyFilter, after: Position | null): Sql[] {
  const { projectId, tenantId, q } = filter;
  const envs = envsIn(reach, filter);
  return [
    sql`shelf = any (${partitionsIn(envs, filter)}::smallint[])`,
    ...(projectId === undefined ? [] : [sql`project_id = ${projectId}`]),
    ...(tenantId === undefined ? [] : [sql`tenant_id = ${tenantId}`]),
    ...checksIn(envs, filter),
    ...(q === undefined ? [] : [anyOf([matchesText(fields, q), ...ofTenant(reach, q, filter)])]),
    ...(after ? [sql`(created_at, id) < (${after.createdAt}, ${after.id})`] : []),
  ];
}

/** A condition that the key's tenant matches the text, if the caller may search tenants. */
const ofTenant = (reach: Reach, q: string, filter: KeyFilter): Sql[] =>
  maySearchTenants(reach, q, filter)
    ? [
        sql`(select ${matchesText(fieldsOf(searchableTenants), q)} from tenants
          where id = api_keys.tenant_id and ${searchableTenants.living} limit 1)`,
      ]
    : [];

/** Applies the filters by state and last use to the keys found. */
function filtered(keys: Sql, envs: readonly Env[], filter: KeyFilter): Sql {
  const checks = checksIn(envs, filter);
  if (checks.length === 0) return sql`(${keys}) api_keys`;
  return sql`(select * from (${keys}) api_keys where ${allOf(checks)}) api_keys`;
}

export function keyMatches(reach: Reach, q: string, filter: KeyFilter): Sql[] {
  const envs = envsIn(reach, filter);
  const partitions = partitionsIn(envs, filter);
  const { conditions, projectIds, type } = placeIn(reach, filter);
  const starting = (condition: Sql, order: Sql): Sql =>
    rankedIn(
      filtered(
        fromEach({
          partitions,
          projectIds,
          covers: ofPartition(SEARCH_PARTITION_TYPE),
          conditions: [condition, ...conditions],
          order,
          limit: SEARCH_MATCHES_MAX,
          selected,
        }),
        envs,
        filter,
      ),
      { fields, q },
    );
  const newest = fromEach({
    partitions,
    projectIds,
    covers: ofPartition(type),
    conditions,
    order: sql`created_at desc, id desc`,
    limit: Math.ceil(SEARCH_EXAMINED_MAX / (projectIds?.length ?? 1)),
    selected,
  });
  // Row-level security already limits these keys to the projects that the caller can access.
  const within = projectIds === null ? conditions : [];
  const anywhere = sql`select * from ${indexedIn('api_keys', q, {
    columns: selected,
    condition: allOf([sql`shelf = any (${partitions}::smallint[])`, ...within]),
  })}`;
  const ids = idRangeOf(q);
  return [
    starting(beginsWith(nameKey, q), sql`name_key, created_at desc`),
    starting(beginsWith(prefixKey, q), sql`prefix_key, created_at desc`),
    ...(ids ? [starting(sql`id >= ${ids.from} and id <= ${ids.to}`, sql`id desc`)] : []),
    ...(isPart(q) ? [newestIn(filtered(newest, envs, filter), fields, q)] : []),
    ...(isPart(q) ? [rankedIn(filtered(anywhere, envs, filter), { fields, q })] : []),
  ];
}

/**
 * Only callers that may read tenants can search by tenant. Otherwise, a search would reveal tenant
 * names.
 */
function maySearchTenants(reach: Reach, q: string, filter: KeyFilter): boolean {
  const { tenantId = reach.tenantId } = filter;
  const isDenied = lacks(reach.permissions ?? null, ['tenants:read']).length > 0;
  return !isDenied && tenantId === undefined && isPart(q);
}

/** Finds the newest keys of the tenants that match best. */
export function tenantKeyMatches(reach: Reach, q: string, filter: KeyFilter): Sql[] {
  if (!maySearchTenants(reach, q, filter)) return [];
  const { projectId } = filter;
  const envs = envsIn(reach, filter);
  const keys = sql`
    select first.* from unnest(${partitionsIn(envs, filter)}::smallint[]) as covered (shelf)
    cross join ${bestMatches(matchesIn(searchableTenants, q))}
    cross join lateral (
      select ${selected} from api_keys
      where tenant_id = page.id and ${ofPartition(partitionTypeFor({ tenantId: q }))}
        ${projectId === undefined ? sql`` : sql`and project_id = ${projectId}`}
      order by created_at desc, id desc limit ${SEARCH_MATCHES_MAX}
    ) first`;
  return [sql`select id, created_at, 2 as rank from ${filtered(keys, envs, filter)}`];
}
