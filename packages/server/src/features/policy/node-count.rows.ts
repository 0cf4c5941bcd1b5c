// All SQL statements that count nodes.
import { columnName, type Sql, sql } from '../../base/sql.ts';
import { many, one, type Runner } from '../../db/sql.ts';
import type { EnvScope } from './feed-view.ts';
import {
  type ChangeScope,
  isConnected,
  isReplaced,
  moment,
  type NodeName,
  seesChangeIn,
  servedSince,
} from './node-conditions.ts';
import type { NodeFacts } from './node-state.ts';
import { NODE_COUNTED_MS, NODE_FORGOTTEN_AFTER_MS, NODE_SILENT_MS_MAX } from './node-times.ts';

export type NodeCount = NodeFacts & { isConnected: boolean; nodes: number; lastSeenAt: Date };

type Counting = {
  scopes: readonly EnvScope[];
  /** The maximum number of projects to examine, and also the maximum number of nodes to count. */
  most: number;
};

/** Counts all projects' nodes by state, using the same states as the node list. */
export const countNodesByState = (tx: Runner, { scopes, most }: Counting): Promise<NodeCount[]> =>
  many(
    tx,
    sql<NodeCount>`
      select is_counted, is_current, is_connected, count(*)::int as nodes,
        max(last_seen_at) as last_seen_at from (
        select node.last_seen_at > ${servedSince(NODE_COUNTED_MS)} as is_counted,
          node.acked_version >= current.version as is_current, node.is_connected,
          node.last_seen_at
        from (select id from projects where deleted_at is null
              order by created_at desc, id desc limit ${most}) project
        cross join lateral (
          select version from project_versions where project_id = project.id limit 1) current
        cross join lateral (
          select last_seen_at, acked_version, ${isConnected} as is_connected from policy_nodes
          where project_id = project.id and env_scope = any (${scopes}::text[])
            and last_seen_at > ${moment}
              - ${NODE_FORGOTTEN_AFTER_MS} * interval '1 millisecond'
            and not ${isReplaced}
          limit ${most}) node
        limit ${most}) counted
      group by is_counted, is_current, is_connected`,
  );

/** Counts the nodes that were seen in the last day but that revocations no longer wait for. */
export async function countSilentNodes(
  tx: Runner,
  scope: ChangeScope,
  except: readonly NodeName[],
): Promise<number> {
  const { silent } = await one(
    tx,
    sql<{ silent: number }>`select count(*) as silent from policy_nodes
      where ${seesChangeIn(scope)} and last_seen_at <= ${servedSince(NODE_COUNTED_MS)}
        and last_seen_at > app_now() - ${NODE_SILENT_MS_MAX} * interval '1 millisecond'
        and (node_id, env_scope) not in (select * from unnest(
          ${except.map(({ nodeId }) => nodeId)}::text[],
          ${except.map(({ envScope }) => envScope)}::text[]))`,
  );
  return silent;
}

/**
 * Which nodes to count: those that receive any of these changes, or all of the workspace's nodes
 * with these env scopes.
 */
export type NodeSelection =
  | { changes: readonly ChangeScope[] }
  | { envScopes: readonly EnvScope[] };

export type NodeCounts = { total: number; current: number };

/**
 * Counts the nodes that revocations wait for, and how many of them have their project's current
 * version.
 */
export const countLiveNodes = (tx: Runner, filter: NodeSelection): Promise<NodeCounts> =>
  one(
    tx,
    sql<NodeCounts>`select count(*) as total,
        count(*) filter (where acked_version >= project_versions.version) as current
      from policy_nodes join project_versions using (project_id)
      where last_seen_at > ${servedSince(NODE_COUNTED_MS)} and ${isSeenBy(filter)}`,
  );

const isSeenBy = (filter: NodeSelection): Sql =>
  'envScopes' in filter
    ? sql`env_scope = any (${filter.envScopes}::text[])`
    : sql`(project_id, env_scope) in (
        select project, scope from unnest(${filter.changes.map(({ projectId }) => projectId)}::uuid[],
          ${filter.changes.map(({ env }) => env)}::text[]) as change (project, env)
        cross join lateral (values (env), ('all')) as seen (scope))`;

/**
 * Counts the nodes that would lose an API key if it were changed to these values: they can enforce
 * all features that the key requires now, but not all that it would require then. Counts only nodes
 * that revocations wait for.
 */
export async function countUnableNodes(
  tx: Runner,
  { id, ...scope }: ChangeScope & { id: string },
  values: Readonly<Record<string, unknown>>,
): Promise<number> {
  const columns = Object.entries(values).map(([field, value]) => [columnName(field), value]);
  const { unable } = await one(
    tx,
    sql<{ unable: number }>`
      with key as materialized (
        select features_of(k) as required,
          features_of(jsonb_populate_record(k, ${JSON.stringify(Object.fromEntries(columns))}::jsonb))
            as required_then
        from api_keys k where id = ${id})
      select count(*)::int as unable from policy_nodes cross join key
      where last_seen_at > ${servedSince(NODE_COUNTED_MS)} and ${seesChangeIn(scope)}
        and required <@ understands and not required_then <@ understands`,
  );
  return unable;
}
