// SQL conditions on nodes, shared by several statements.
import { profiles } from '@keyrail/protocol/wire/permissions.ts';
import { named, type Sql, sql } from '../../base/sql.ts';
import type { Env } from '../../doors/reach.ts';
import type { EnvScope } from './feed-view.ts';
import { NODE_COUNTED_MS, NODE_LEFT_MS } from './node-times.ts';

export type NodeName = { nodeId: string; envScope: EnvScope };

/**
 * The maximum number of nodes recorded for each env scope of a project. Each scope has its own
 * limit, so that a test credential can't use up the space for live nodes.
 */
export const NODES_PER_SCOPE_MAX = 10_000;

/** The current time. A subquery, so that it is evaluated once per statement, not once per node. */
export const moment: Sql = sql`(select app_now())`;

/**
 * The time since which the server has been up for `ms` milliseconds in total. Evaluated once per
 * statement.
 */
export const servedSince = (ms: number): Sql =>
  sql`(select served_since(${ms} * interval '1 millisecond'))`;

/** Whether the node has left so recently that one of its polls may still be in progress. */
export const hasLeft = (record: string): Sql =>
  sql`(${named(`${record}.last_seen_at`)} = '-infinity'
    and ${named(`${record}.left_at`)} between
      ${moment} - ${NODE_LEFT_MS} * interval '1 millisecond' and ${moment})`;

/** Whether one of the node's polls is being held, or its next poll isn't overdue yet. */
export const isConnected = sql`(last_seen_at <= ${moment}
  and coalesce(next_poll_by, last_seen_at + ${NODE_COUNTED_MS} * interval '1 millisecond')
    > ${moment})`;

/**
 * Whether a node has been replaced: it isn't connected, and another node with the same name has
 * started since its last poll. Revocations still wait for a replaced node, because it may still be
 * verifying keys.
 */
export const isReplaced = sql`(coalesce(replaced_at >= last_seen_at, false)
  and not ${isConnected})`;

/** Whether the secret key of the node's last poll can do more than a node needs. */
export const isOverprivileged = sql`exists (
  select from secret_keys k where k.id = policy_nodes.secret_key_id and k.revoked_at is null
    and (k.permissions is null or not k.permissions <@ ${profiles.node}::text[]))`;

/**
 * A change in one environment of a project. It is sent to the nodes that follow that environment.
 */
export type ChangeScope = { projectId: string; env: Env };

export const seesChangeIn = ({ projectId, env }: ChangeScope) =>
  sql`project_id = ${projectId} and env_scope in ('all', ${env})`;
