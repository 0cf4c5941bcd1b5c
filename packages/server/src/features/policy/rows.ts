// Every statement of the policy feed.
import { sql } from 'kysely';
import { notFound } from '../../base/errors.ts';
import { many, maybe, type Runner } from '../../db/sql.ts';
import type { RateLimit } from '../../db/tables.ts';
import type { Recording } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import { type EnvScope, type FeedFilter, fedShelves } from './filter.ts';

/** Where a project's feed stands. */
export type FeedHead = {
  workspaceId: string;
  version: number;
  floor: number;
  isDeleted: boolean;
  defaultRateLimits: RateLimit[];
};

/** What is on record of the node that asks; nulls when it is new. */
export type NodeRecord = { ackedVersion: number | null; isStale: boolean | null };

export type NodeName = { nodeId: string; envScope: EnvScope };

/** How long a node's record may lag behind its polls: a write for each poll would be a flood. */
const SEEN_LAG_SECONDS = 30;

export async function loadHead(
  tx: Runner,
  projectId: string,
  node: NodeName | null = null,
): Promise<FeedHead & NodeRecord> {
  const head = await maybe(
    tx,
    sql<FeedHead & NodeRecord>`
      select p.workspace_id, v.version, v.floor, p.deleted_at is not null as is_deleted,
        p.default_rate_limits, n.acked_version,
        n.last_seen_at < app_now() - make_interval(secs => ${SEEN_LAG_SECONDS}) as is_stale
      from projects p join project_versions v on v.project_id = p.id
        left join policy_nodes n on n.project_id = p.id
          and n.node_id = ${node?.nodeId ?? null} and n.env_scope = ${node?.envScope ?? null}
      where p.id = ${projectId}`,
  );
  if (!head) throw notFound('project');
  return head;
}

export type EntryRow = {
  id: string;
  tenantId: string;
  env: Env;
  lookupHash: string;
  displayPrefix: string;
  scopes: string[];
  expiresAt: Date | null;
  rateLimits: RateLimit[] | null;
  shelf: number;
  createdAt: Date;
};

export type EntryPosition = { shelf: number; createdAt: Date; id: string };

const entryColumns = sql.raw(`id, tenant_id, env, encode(lookup_hash, 'hex') as lookup_hash,
  display_prefix, scopes, expires_at, rate_limits, shelf, created_at`);

export type EntryRange = { after: EntryPosition | null; limit: number };

/**
 * Keys that a snapshot holds, shelf by shelf and newest first on each: an order that the indexes
 * have, and in which a key never moves.
 */
export function listEntries(
  tx: Runner,
  filter: FeedFilter,
  { after, limit }: EntryRange,
): Promise<EntryRow[]> {
  const { projectId, tenantIds } = filter;
  const shelves = fedShelves(filter).filter((shelf) => !after || shelf >= after.shelf);
  const onwards = after
    ? sql`and (covered.shelf > ${after.shelf}
        or (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid))`
    : sql``;
  const tenants = tenantIds
    ? sql`cross join unnest(${tenantIds}::uuid[]) as wanted (tenant)`
    : sql``;
  const ofTenant = tenantIds ? sql`and tenant_id = wanted.tenant` : sql``;
  return many(
    tx,
    sql<EntryRow>`
      select fed.* from unnest(${shelves}::smallint[]) as covered (shelf) ${tenants}
      cross join lateral (
        select ${entryColumns} from api_keys
        where project_id = ${projectId} and api_keys.shelf = covered.shelf ${ofTenant}
          and retired_at is null ${onwards}
        order by created_at desc, id desc limit ${limit}
      ) fed
      order by fed.shelf, fed.created_at desc, fed.id desc limit ${limit}`,
  );
}

export type ChangeRow = EntryRow & { version: number; isRevoked: boolean; isRetired: boolean };

export type ChangeRange = { since: number; after: ChangeRow | null; limit: number };

/** Keys as they are now that were written after a version, in the order of their changes. */
export function listChanges(
  tx: Runner,
  { projectId, env, tenantIds }: FeedFilter,
  { since, after, limit }: ChangeRange,
): Promise<ChangeRow[]> {
  const ofEnv = env ? sql`and k.env = ${env}` : sql``;
  const onwards = after
    ? sql`and (c.version, k.id) > (${after.version}, ${after.id}::uuid)`
    : sql``;
  const from = after ? after.version - 1 : since;
  const ofTenants = tenantIds ? sql`and k.tenant_id = any (${tenantIds}::uuid[])` : sql``;
  return many(
    tx,
    sql<ChangeRow>`
      select c.version, k.revoked_at is not null as is_revoked,
        k.retired_at is not null as is_retired, k.*
      from policy_changes c cross join lateral (
        select ${entryColumns}, revoked_at, retired_at from api_keys
        where api_keys.change_id = c.change_id and api_keys.project_id = c.project_id
      ) k
      where c.project_id = ${projectId} and c.version > ${from} ${ofEnv} ${ofTenants} ${onwards}
      order by c.version, k.id limit ${limit}`,
  );
}

/** What one answer of the feed is read from: all of it is of the same moment. */
export type FeedSource = {
  readonly now: Date;
  loadHead(projectId: string): Promise<FeedHead>;
  listEntries(filter: FeedFilter, range: EntryRange): Promise<EntryRow[]>;
  listChanges(filter: FeedFilter, range: ChangeRange): Promise<ChangeRow[]>;
};

export const feedIn = (tx: Recording): FeedSource => ({
  now: tx.now,
  loadHead: (projectId) => loadHead(tx, projectId),
  listEntries: (filter, range) => listEntries(tx, filter, range),
  listChanges: (filter, range) => listChanges(tx, filter, range),
});

export type NodeRow = {
  nodeId: string;
  envScope: EnvScope;
  ackedVersion: number;
  lastSeenAt: Date;
};

/** Nodes seen lately whose view covers an environment. */
export const listNodes = (
  tx: Runner,
  { projectId, env, seenWithinMs }: { projectId: string; env: Env; seenWithinMs: number },
): Promise<NodeRow[]> =>
  many(
    tx,
    sql<NodeRow>`select node_id, env_scope, acked_version, last_seen_at from policy_nodes
      where project_id = ${projectId} and env_scope in ('all', ${env})
        and last_seen_at > app_now() - ${seenWithinMs} * interval '1 millisecond'
      order by node_id, env_scope`,
  );

const NODES_PER_PROJECT_MAX = 10_000;

export type Ack = NodeName & { projectId: string; version: number | null };

/**
 * Notes that nodes were seen, and what they acknowledged (null: nothing new). A project has room
 * for so many names; once it is full, new ones are not noted.
 */
export async function updateNodes(tx: Runner, acks: readonly Ack[]): Promise<void> {
  await many(
    tx,
    sql`insert into policy_nodes as known
        (project_id, node_id, env_scope, acked_version, last_seen_at)
      select project, node, scope, coalesce(version, 0), app_now()
      from unnest(${acks.map(({ projectId }) => projectId)}::uuid[],
        ${acks.map(({ nodeId }) => nodeId)}::text[],
        ${acks.map(({ envScope }) => envScope)}::text[],
        ${acks.map(({ version }) => version)}::bigint[]) as ack (project, node, scope, version)
      where exists (select from policy_nodes n
                    where (n.project_id, n.node_id, n.env_scope) = (project, node, scope))
        or (select count(*) from policy_nodes n where n.project_id = project)
          < ${NODES_PER_PROJECT_MAX}
      on conflict (project_id, node_id, env_scope) do update
        set last_seen_at = excluded.last_seen_at,
          acked_version = case when excluded.acked_version = 0 then known.acked_version
            else excluded.acked_version end`,
  );
}
