// Conditions on nodes that several statements share.
import { type RawBuilder, sql } from 'kysely';
import type { Env } from '../../doors/reach.ts';
import type { EnvScope } from './feed-view.ts';
import { NODE_LEFT_MS } from './node-times.ts';

export type NodeName = { nodeId: string; envScope: EnvScope };

/** The start of the last `ms` of served time. Evaluated once per statement. */
export const servedSince = (ms: number): RawBuilder<Date> =>
  sql<Date>`(select served_since(${ms} * interval '1 millisecond'))`;

/** Whether the node of a record has left so recently that a poll of it may still be under way. */
export const hasLeft = (record: string): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(`${record}.last_seen_at`)} = '-infinity'
    and ${sql.ref(`${record}.left_at`)} between
      app_now() - ${NODE_LEFT_MS} * interval '1 millisecond' and app_now())`;

/** Selects the nodes that see a change in one environment. */
export type ChangeScope = { projectId: string; env: Env };

export const seesChangeIn = ({ projectId, env }: ChangeScope) =>
  sql<boolean>`project_id = ${projectId} and env_scope in ('all', ${env})`;
