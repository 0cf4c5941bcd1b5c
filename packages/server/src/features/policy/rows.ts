// Every statement of the policy feed.
import { NODE_SEEN_WITHIN_MS } from '@keyrail/protocol/limits.ts';
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

export type NodeName = { nodeId: string; envScope: EnvScope };

/** Where a project stands, and what is on record of the node that asks: nulls when it is new. */
export type Standing = { version: number; ackedVersion: number | null; isStale: boolean | null };

/** How far a node's record may lag behind its polls. Those that are held are all noted. */
const SEEN_LAG_SECONDS = 10;

/** For each of those who ask together, in their order; null for one that gives no name. */
export async function listStandings(
  tx: Runner,
  projectId: string,
  nodes: readonly (NodeName | null)[],
): Promise<Standing[]> {
  const standings = await many(
    tx,
    sql<Standing>`
      select v.version, n.acked_version,
        n.last_seen_at < app_now() - make_interval(secs => ${SEEN_LAG_SECONDS}) as is_stale
      from project_versions v cross join unnest(${nodes.map((node) => node?.nodeId ?? null)}::text[],
        ${nodes.map((node) => node?.envScope ?? null)}::text[])
          with ordinality as asking (node, scope, place)
        left join policy_nodes n on n.project_id = v.project_id
          and n.node_id = asking.node and n.env_scope = asking.scope
      where v.project_id = ${projectId} order by asking.place`,
  );
  if (standings.length === 0) throw notFound('project');
  return standings;
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

/** Behind whatever has a creation date: nothing of a shelf has been told yet. */
const SHELF_START = { createdAt: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/**
 * Keys that a snapshot holds, shelf by shelf and newest first on each: an order that the indexes
 * have, and in which a key never moves. Where each shelf goes on is handed in as a bound that the
 * index understands, so that a page costs what it holds, wherever it starts.
 */
export function listEntries(
  tx: Runner,
  filter: FeedFilter,
  { after, limit }: EntryRange,
): Promise<EntryRow[]> {
  const { projectId, tenantIds } = filter;
  const shelves = fedShelves(filter).filter((shelf) => !after || shelf >= after.shelf);
  const starts = shelves.map((shelf) =>
    after && shelf === after.shelf
      ? { createdAt: after.createdAt.toISOString(), id: after.id }
      : SHELF_START,
  );
  const tenants = tenantIds
    ? sql`cross join unnest(${tenantIds}::uuid[]) as wanted (tenant)`
    : sql``;
  const ofTenant = tenantIds ? sql`and tenant_id = wanted.tenant` : sql``;
  return many(
    tx,
    sql<EntryRow>`
      select fed.* from unnest(${shelves}::smallint[],
          ${starts.map(({ createdAt }) => createdAt)}::timestamptz[],
          ${starts.map(({ id }) => id)}::uuid[]) as covered (shelf, before_at, before_id) ${tenants}
      cross join lateral (
        select ${entryColumns} from api_keys
        where project_id = ${projectId} and api_keys.shelf = covered.shelf ${ofTenant}
          and (created_at, id) < (covered.before_at, covered.before_id) and retired_at is null
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

/** In each env scope by itself: who may only name test nodes must not crowd out live ones. */
const NODES_PER_SCOPE_MAX = 10_000;

export type Ack = NodeName & { projectId: string; version: number | null };

/**
 * Notes that nodes were seen, and what they acknowledged (null: nothing new). A scope of a project
 * has room for so many names; once it is full, new ones take the place of those out of sight.
 */
export async function updateNodes(tx: Runner, acks: readonly Ack[]): Promise<void> {
  const latest = inOneOrder(acks);
  if ((await upsertNodes(tx, latest)) === latest.length) return;
  if ((await removeUnseenBeside(tx, latest)) > 0) await upsertNodes(tx, latest);
}

/** Returns how many are noted: fewer than asked when there was no room. */
async function upsertNodes(tx: Runner, acks: readonly Ack[]): Promise<number> {
  const noted = await many(
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
        or (select count(*) from policy_nodes n
            where (n.project_id, n.env_scope) = (project, scope)) < ${NODES_PER_SCOPE_MAX}
      on conflict (project_id, node_id, env_scope) do update
        set last_seen_at = excluded.last_seen_at,
          acked_version = case when excluded.acked_version = 0 then known.acked_version
            else excluded.acked_version end
      returning 1`,
  );
  return noted.length;
}

/** Forgets names that are not counted any more; one that comes back this moment is left alone. */
async function removeUnseenBeside(tx: Runner, acks: readonly Ack[]): Promise<number> {
  const gone = await many(
    tx,
    sql`delete from policy_nodes where (project_id, node_id, env_scope) in (
        select project_id, node_id, env_scope from policy_nodes
        where (project_id, env_scope) in (select * from unnest(
            ${acks.map(({ projectId }) => projectId)}::uuid[],
            ${acks.map(({ envScope }) => envScope)}::text[]))
          and last_seen_at < app_now() - ${NODE_SEEN_WITHIN_MS} * interval '1 millisecond'
        for update skip locked)
      returning 1`,
  );
  return gone.length;
}

/** The last word of each node; sorted, so that two batches wait for each other at most once. */
function inOneOrder(acks: readonly Ack[]): Ack[] {
  const nameOf = (ack: Ack) => [ack.projectId, ack.nodeId, ack.envScope].join(' ');
  const byName = new Map(acks.map((ack) => [nameOf(ack), ack]));
  return [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, ack]) => ack);
}
