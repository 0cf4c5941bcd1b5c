// SQL statements for nodes. The rest are in node-count.rows.ts (counting nodes), node-leave.rows.ts
// and node-presence.rows.ts (nodes that leave, disconnect or are replaced), and upkeep.rows.ts
// (deleting silent nodes).
import { notFound } from '../../base/errors.ts';
import { sql } from '../../base/sql.ts';
import { listOf, many, type Runner } from '../../db/sql.ts';
import type { EnvScope } from './feed-view.ts';
import {
  type ChangeScope,
  hasLeft,
  isConnected,
  isOverprivileged,
  isReplaced,
  moment,
  NODES_PER_SCOPE_MAX,
  type NodeName,
  seesChangeIn,
  servedSince,
} from './node-conditions.ts';
import type { SdkName } from './node-headers.ts';
import {
  NODE_COUNTED_MS,
  NODE_FORGOTTEN_AFTER_MS,
  NODE_KEPT_MS,
  RECORDED_APART_MS,
} from './node-times.ts';

/**
 * The project's version, and the record of the polling node. The record's fields are null if the
 * node has no record.
 */
export type NodeSeen = {
  version: number;
  ackedVersion: number | null;
  isStale: boolean | null;
  hasLeft: boolean | null;
  /**
   * How much longer the node counts as connected; negative if it no longer does; null if unknown.
   */
  connectedForMs: number | null;
  understands: string[] | null;
  secretKeyId: string | null;
};

/**
 * Returns one result per node, in the order of `nodes`, where null stands for a node without an ID.
 */
export async function listNodesSeen(
  tx: Runner,
  projectId: string,
  nodes: readonly (NodeName | null)[],
): Promise<NodeSeen[]> {
  const nodeIds = nodes.map((node) => node?.nodeId ?? null);
  const scopes = nodes.map((node) => node?.envScope ?? null);
  const seen = await many(
    tx,
    sql<NodeSeen>`
      select v.version, n.acked_version,
        -- A time in the future means that the clock has since been set back.
        n.last_seen_at < ${moment} - ${RECORDED_APART_MS} * interval '1 millisecond'
          or n.last_seen_at > ${moment} as is_stale,
        ${hasLeft('n')} as has_left,
        date_part('epoch', n.next_poll_by - ${moment}) * 1000 as connected_for_ms,
        n.understands, n.secret_key_id
      from project_versions v cross join unnest(${listOf('text', nodeIds)}, ${listOf('text', scopes)})
          with ordinality as asking (node, scope, place)
        left join lateral (
          -- The limit keeps the planner from reading all the project's nodes.
          select acked_version, last_seen_at, left_at, next_poll_by, understands, secret_key_id
          from policy_nodes
          where project_id = v.project_id and node_id = asking.node and env_scope = asking.scope
          limit 1
        ) n on true
      where v.project_id = ${projectId} order by asking.place`,
  );
  if (seen.length === 0) throw notFound('project');
  return seen;
}

export type NodeRow = NodeName & { ackedVersion: number; lastSeenAt: Date };

/**
 * A node that revocations wait for now, or that a revocation still in progress may have been
 * waiting for.
 */
export type KnownNode = NodeRow & { isCounted: boolean };

export const listNodes = (tx: Runner, scope: ChangeScope): Promise<KnownNode[]> =>
  many(
    tx,
    sql<KnownNode>`select node_id, env_scope, acked_version, last_seen_at,
        last_seen_at > ${servedSince(NODE_COUNTED_MS)} as is_counted
      from policy_nodes
      where ${seesChangeIn(scope)} and last_seen_at > ${servedSince(NODE_KEPT_MS)}
      order by node_id, env_scope`,
  );

export type ListedNode = KnownNode & {
  isConnected: boolean;
  currentVersion: number;
  sdkName: string | null;
  sdkVersion: string | null;
  understands: string[];
  firstSeenAt: Date;
};

export type NodePosition = Pick<NodeRow, 'nodeId' | 'envScope' | 'lastSeenAt'>;

type NodeFilter = {
  projectId: string;
  scopes: readonly EnvScope[];
  /** Whether to list only nodes whose secret key can do more than a node needs. */
  overprivileged: boolean;
  after: NodePosition | null;
  limit: number;
};

/**
 * The value of the generated column scope_rank for each env scope. The index for the node list
 * starts with that column.
 */
const RANK_OF_SCOPE: Record<EnvScope, number> = { all: 0, live: 1, test: 2 };

/**
 * Lists nodes from an index, most recently seen first, so the cost depends only on the page size.
 */
export function listNewestNodes(tx: Runner, filter: NodeFilter): Promise<ListedNode[]> {
  const { projectId, overprivileged, after, limit } = filter;
  const ranks = filter.scopes.map((scope) => RANK_OF_SCOPE[scope]);
  const onwards = after
    ? sql`and (last_seen_at, node_id, env_scope)
        < (${after.lastSeenAt}, ${after.nodeId}, ${after.envScope})`
    : sql``;
  const chosen = overprivileged ? sql`and ${isOverprivileged}` : sql``;
  return many(
    tx,
    sql<ListedNode>`
      select page.*, v.version as current_version,
        page.last_seen_at > ${servedSince(NODE_COUNTED_MS)} as is_counted
      from (
        select newest.* from unnest(${ranks}::smallint[]) as covered (rank) cross join lateral (
          select node_id, env_scope, acked_version, sdk_name, sdk_version, understands,
            coalesce(first_seen_at, last_seen_at) as first_seen_at, last_seen_at,
            ${isConnected} as is_connected
          from policy_nodes
          where scope_rank = covered.rank and project_id = ${projectId} ${onwards}
            and last_seen_at > ${moment}
              - ${NODE_FORGOTTEN_AFTER_MS} * interval '1 millisecond'
            and not ${isReplaced} ${chosen}
          order by last_seen_at desc nulls last, node_id desc limit ${limit}
        ) newest
        order by last_seen_at desc, node_id desc, env_scope desc limit ${limit}
      ) page join project_versions v on v.project_id = ${projectId}
      order by page.last_seen_at desc, page.node_id desc, page.env_scope desc`,
  );
}

export type NodeAck = NodeName & {
  projectId: string;
  version: number | null;
  sdk: SdkName | null;
  name: string | null;
  connectedMs: number;
  understands: readonly string[];
  /** The secret key of the node's last poll; null if the poll used another kind of credential. */
  secretKeyId: string | null;
  isNew: boolean;
};

/**
 * Records that nodes were seen, and the versions they acknowledged (null if none). When a scope has
 * NODES_PER_SCOPE_MAX nodes, new nodes replace those that no revocation still waits for.
 */
export async function updateNodes(tx: Runner, acks: readonly NodeAck[]): Promise<void> {
  const latest = inOneOrder(acks);
  const isFull = (await upsertNodes(tx, latest)) < latest.length;
  if (isFull && (await removeSilentInScopes(tx, latest)) > 0) await upsertNodes(tx, latest);
}

/** Returns how many nodes were recorded: fewer than in `acks` if a scope is full. */
async function upsertNodes(tx: Runner, acks: readonly NodeAck[]): Promise<number> {
  const projectIds = acks.map(({ projectId }) => projectId);
  const scopes = acks.map(({ envScope }) => envScope);
  const recorded = await many(
    tx,
    // Each scope's nodes are counted once, because a relay that has just started may report a
    // thousand new nodes.
    sql`insert into policy_nodes as known
        (project_id, node_id, env_scope, acked_version, sdk_name, sdk_version, node_name,
         understands, secret_key_id, first_seen_at, last_seen_at, next_poll_by)
      with room as materialized (
        select in_project, in_scope, (select count(*) from policy_nodes n
            where (n.project_id, n.env_scope) = (in_project, in_scope)
              and n.last_seen_at > '-infinity') as nodes
        from (select distinct * from unnest(${projectIds}::uuid[], ${scopes}::text[])
            as asked (in_project, in_scope)) asked)
      select project, node, scope, coalesce(version, 0), sdk_name, sdk_version, name,
        string_to_array(words, ','), secret_key,
        ${moment}, ${moment}, ${moment} + connected * interval '1 millisecond'
      from unnest(${projectIds}::uuid[],
        ${acks.map(({ nodeId }) => nodeId)}::text[],
        ${scopes}::text[],
        ${acks.map(({ version }) => version)}::bigint[],
        ${acks.map(({ sdk }) => sdk?.name ?? null)}::text[],
        ${acks.map(({ sdk }) => sdk?.version ?? null)}::text[],
        ${acks.map(({ name }) => name)}::text[],
        ${acks.map(({ understands }) => understands.join())}::text[],
        ${acks.map(({ secretKeyId }) => secretKeyId)}::uuid[],
        ${acks.map(({ connectedMs }) => connectedMs)}::int[])
          as ack (project, node, scope, version, sdk_name, sdk_version, name, words, secret_key,
            connected)
      where exists (select from policy_nodes n
                    where (n.project_id, n.node_id, n.env_scope) = (project, node, scope))
        -- A subquery, because a join could change the order in which rows are written.
        or (select nodes from room where (in_project, in_scope) = (project, scope))
          < ${NODES_PER_SCOPE_MAX}
      on conflict (project_id, node_id, env_scope) do update
        set first_seen_at = case when known.last_seen_at = '-infinity' then excluded.first_seen_at
            else coalesce(known.first_seen_at, known.last_seen_at) end,
          last_seen_at = case when ${hasLeft('known')} then known.last_seen_at
            else excluded.last_seen_at end, sdk_name = excluded.sdk_name,
          sdk_version = excluded.sdk_version, next_poll_by = excluded.next_poll_by,
          node_name = coalesce(excluded.node_name, known.node_name),
          understands = excluded.understands, secret_key_id = excluded.secret_key_id,
          acked_version = case when excluded.acked_version = 0 then known.acked_version
            else excluded.acked_version end
      returning 1`,
  );
  return recorded.length;
}

/**
 * Deletes silent nodes that no revocation can still be waiting for, except those that another
 * transaction is updating.
 */
async function removeSilentInScopes(tx: Runner, acks: readonly NodeAck[]): Promise<number> {
  const gone = await many(
    tx,
    sql`delete from policy_nodes where (project_id, node_id, env_scope) in (
        select project_id, node_id, env_scope from policy_nodes
        where (project_id, env_scope) in (select * from unnest(
            ${acks.map(({ projectId }) => projectId)}::uuid[],
            ${acks.map(({ envScope }) => envScope)}::text[]))
          and last_seen_at < ${servedSince(NODE_KEPT_MS)} and last_seen_at > '-infinity'
        for update skip locked)
      returning 1`,
  );
  return gone.length;
}

/**
 * Returns each node's last acknowledgement, sorted so that two concurrent batches cannot deadlock.
 */
function inOneOrder(acks: readonly NodeAck[]): NodeAck[] {
  const nameOf = (ack: NodeAck) => [ack.projectId, ack.nodeId, ack.envScope].join(' ');
  const byName = new Map(acks.map((ack) => [nameOf(ack), ack]));
  return [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, ack]) => ack);
}
