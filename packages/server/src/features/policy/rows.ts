// All SQL statements for the policy feed, except those for nodes (node.rows.ts) and for upkeep jobs
// (upkeep.rows.ts).

import type { RateLimit } from '@keyrail/protocol/validators.ts';
import { notFound } from '../../base/errors.ts';
import { joined, named, sql } from '../../base/sql.ts';
import { many, maybe, type Runner } from '../../db/sql.ts';
import type { Recording } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import { partitionTypeFor } from '../keys/list-partition.ts';
import {
  deltaPartitions,
  type EntryPosition,
  type FeedFilter,
  snapshotPartitions,
  VERSIONS_PER_DELTA_MAX,
} from './feed-view.ts';

/** The key columns that the feed reads. */
export type EntryRow = {
  id: string;
  tenantId: string;
  env: Env;
  lookupHash: string;
  displayPrefix: string;
  scopes: string[];
  expiresAt: Date | null;
  rateLimits: RateLimit[] | null;
  isImported: boolean;
  shelf: number;
  createdAt: Date;
  /** Whether the key requires a feature that the node can't enforce. */
  isUnsupported: boolean;
  /** Only present if the feed includes `meta`. */
  metaBytes?: number;
} & EntryDetails;

/** The feed's optional fields. */
type EntryDetails = { meta?: Record<string, unknown>; tenantExternalId?: string };

type EntryRange = { after: EntryPosition | null; limit: number };

export type ChangeRow = EntryRow & {
  version: number;
  isRevoked: boolean;
  isDisabled: boolean;
  isRetired: boolean;
};

type ChangeRange = { since: number; after: ChangeRow | null; limit: number };

/** The current version of a project's feed, and the project details that nodes need. */
export type FeedHead = {
  workspaceId: string;
  version: number;
  floor: number;
  isDeleted: boolean;
  defaultRateLimits: RateLimit[];
};

export async function loadHead(tx: Runner, projectId: string): Promise<FeedHead> {
  const head = await maybe(
    tx,
    sql<FeedHead>`
      select p.workspace_id, v.version, v.floor, p.deleted_at is not null as is_deleted,
        p.default_rate_limits
      from projects p join project_versions v on v.project_id = p.id
      where p.id = ${projectId}`,
  );
  if (!head) throw notFound('project');
  return head;
}

const usualColumns = sql`id, tenant_id, env, encode(lookup_hash, 'hex') as lookup_hash,
  display_prefix, scopes, expires_at, rate_limits, imported as is_imported, shelf, created_at`;

/** Reads only the size of `meta`. The value is read later, once it is known which entries fit. */
const entryColumns = ({ include, understands }: Pick<FeedFilter, 'include' | 'understands'>) =>
  joined([
    usualColumns,
    sql`not features_of(api_keys) <@ ${understands}::text[] as is_unsupported`,
    ...(include.includes('meta') ? [sql`meta_bytes`] : []),
  ]);

/**
 * The start of a list partition (the keys of one environment, either revoked or not), which is read
 * newest first. Sorts after every key.
 */
const PARTITION_START = { createdAt: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/**
 * Lists a snapshot's keys by list partition, newest first within each partition. This is the order
 * of the indexes, and a key keeps its place in that order until it is revoked. Each partition's
 * starting point is passed as an index bound, so a page's cost depends only on its size, not on
 * where it starts.
 */
export function listEntries(
  tx: Runner,
  filter: FeedFilter,
  { after, limit }: EntryRange,
): Promise<EntryRow[]> {
  const { projectId, tenantIds } = filter;
  const shelves = snapshotPartitions(filter).filter((shelf) => !after || shelf >= after.shelf);
  const starts = shelves.map((shelf) =>
    after && shelf === after.shelf
      ? { createdAt: after.createdAt.toISOString(), id: after.id }
      : PARTITION_START,
  );
  const tenants = tenantIds
    ? sql`cross join unnest(${tenantIds}::uuid[]) as wanted (tenant)`
    : sql``;
  const ofTenant = tenantIds ? sql`and tenant_id = wanted.tenant` : sql``;
  const type = named(partitionTypeFor({ projectId, tenantId: tenantIds?.[0] }));
  return many(
    tx,
    sql<EntryRow>`
      select fed.* from unnest(${shelves}::smallint[],
          ${starts.map(({ createdAt }) => createdAt)}::timestamptz[],
          ${starts.map(({ id }) => id)}::uuid[]) as covered (shelf, before_at, before_id) ${tenants}
      cross join lateral (
        select ${entryColumns(filter)} from api_keys
        where project_id = ${projectId} and api_keys.shelf::${type} = covered.shelf::${type} ${ofTenant}
          and (created_at, id) < (covered.before_at, covered.before_id)
          and retired_at is null and disabled_at is null
        order by created_at desc, id desc limit ${limit}
      ) fed
      order by fed.shelf, fed.created_at desc, fed.id desc limit ${limit}`,
  );
}

/**
 * The start of each list partition in a change, which is read in ID order. Sorts before every ID.
 */
const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000';

/**
 * Lists the current state of all keys written after a given version, for all tenants, in the order
 * of their changes. A change may have written any number of keys, so each of its list partitions is
 * read in index order, continuing where the last statement stopped, up to the limit.
 */
function listChanges(
  tx: Runner,
  { projectId, env, ...wanted }: FeedFilter,
  { since, after, limit }: ChangeRange,
): Promise<ChangeRow[]> {
  const from = after ? after.version - 1 : since;
  const version = after?.version ?? since;
  const shelf = after?.shelf ?? 0;
  const id = after?.id ?? BEFORE_ALL_IDS;
  return many(
    tx,
    sql<ChangeRow>`
      select c.version, k.revoked_at is not null as is_revoked,
        k.disabled_at is not null as is_disabled, k.retired_at is not null as is_retired, k.*
      from (
        select version, change_id, project_id from policy_changes
        where project_id = ${projectId} and version > ${from}
        order by version limit ${VERSIONS_PER_DELTA_MAX}
      ) c cross join unnest(${deltaPartitions({ env })}::smallint[]) as covered (shelf)
      cross join lateral (
        select ${entryColumns(wanted)}, revoked_at, disabled_at, retired_at from api_keys
        where change_id = c.change_id and project_id = c.project_id
          and api_keys.shelf = covered.shelf and id > case
            when c.version = ${version} and covered.shelf = ${shelf} then ${id}::uuid
            else ${BEFORE_ALL_IDS}::uuid end
        order by id limit ${limit}
      ) k
      where c.version > ${version} or covered.shelf >= ${shelf}
      order by c.version, k.shelf, k.id limit ${limit}`,
  );
}

type DetailsRow = EntryDetails & { id: string };

/** Loads the optional fields of the given keys, in no particular order. */
function listDetails(
  tx: Runner,
  { include }: Pick<FeedFilter, 'include'>,
  ids: readonly string[],
): Promise<DetailsRow[]> {
  const columns = [
    sql`k.id`,
    ...(include.includes('meta') ? [sql`k.meta`] : []),
    ...(include.includes('external_id') ? [sql`t.external_id as tenant_external_id`] : []),
  ];
  const tenants = include.includes('external_id')
    ? sql`cross join lateral (select external_id from tenants where id = k.tenant_id limit 1) t`
    : sql``;
  return many(
    tx,
    sql<DetailsRow>`select ${joined(columns)} from unnest(${ids}::uuid[]) as wanted (id)
      cross join lateral (
        select id, meta, tenant_id from api_keys where id = wanted.id limit 1
      ) k ${tenants}`,
  );
}

/** The reads needed for one feed response, all from the same database snapshot. */
export type FeedSource = {
  readonly now: Date;
  loadHead(projectId: string): Promise<FeedHead>;
  listEntries(filter: FeedFilter, range: EntryRange): Promise<EntryRow[]>;
  listChanges(filter: FeedFilter, range: ChangeRange): Promise<ChangeRow[]>;
  listDetails(filter: FeedFilter, ids: readonly string[]): Promise<DetailsRow[]>;
};

export const feedIn = (tx: Recording): FeedSource => ({
  now: tx.now,
  loadHead: (projectId) => loadHead(tx, projectId),
  listEntries: (filter, range) => listEntries(tx, filter, range),
  listChanges: (filter, range) => listChanges(tx, filter, range),
  listDetails: (filter, ids) => listDetails(tx, filter, ids),
});
