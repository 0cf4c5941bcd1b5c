// Conditions on nodes that several statements share.
import { type RawBuilder, sql } from 'kysely';
import type { Env } from '../../doors/reach.ts';
import type { EnvScope } from './feed-view.ts';
import { NODE_COUNTED_MS, NODE_LEFT_MS } from './node-times.ts';

export type NodeName = { nodeId: string; envScope: EnvScope };

/** Separate for each env scope, so that a test credential cannot use up the room of live nodes. */
export const NODES_PER_SCOPE_MAX = 10_000;

/** The moment of a statement. Evaluated once, and not for each of a thousand nodes. */
export const moment: RawBuilder<Date> = sql<Date>`(select app_now())`;

/** The start of the last `ms` of served time. Evaluated once per statement. */
export const servedSince = (ms: number): RawBuilder<Date> =>
  sql<Date>`(select served_since(${ms} * interval '1 millisecond'))`;

/** Whether the node of a record has left so recently that a poll of it may still be under way. */
export const hasLeft = (record: string): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(`${record}.last_seen_at`)} = '-infinity'
    and ${sql.ref(`${record}.left_at`)} between
      ${moment} - ${NODE_LEFT_MS} * interval '1 millisecond' and ${moment})`;

/** Whether a poll of a node is held, or its next poll is not yet overdue. */
export const isConnected = sql<boolean>`(last_seen_at <= ${moment}
  and coalesce(next_poll_by, last_seen_at + ${NODE_COUNTED_MS} * interval '1 millisecond')
    > ${moment})`;

/**
 * Whether a node of the same name has begun since the last poll of a node that is not connected.
 * Revocations wait for it nevertheless: it may still verify keys.
 */
export const isReplaced = sql<boolean>`(coalesce(replaced_at >= last_seen_at, false)
  and not ${isConnected})`;

/** Selects the nodes that see a change in one environment. */
export type ChangeScope = { projectId: string; env: Env };

export const seesChangeIn = ({ projectId, env }: ChangeScope) =>
  sql<boolean>`project_id = ${projectId} and env_scope in ('all', ${env})`;
