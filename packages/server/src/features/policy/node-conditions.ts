// Conditions on nodes that several statements share.
import { type RawBuilder, sql } from 'kysely';
import type { Env } from '../../doors/reach.ts';
import type { EnvScope } from './feed-view.ts';

export type NodeName = { nodeId: string; envScope: EnvScope };

/** The start of the last `ms` of served time. Evaluated once per statement. */
export const servedSince = (ms: number): RawBuilder<Date> =>
  sql<Date>`(select served_since(${ms} * interval '1 millisecond'))`;

/** Selects the nodes that see a change in one environment. */
export type ChangeScope = { projectId: string; env: Env };

export const seesChangeIn = ({ projectId, env }: ChangeScope) =>
  sql<boolean>`project_id = ${projectId} and env_scope in ('all', ${env})`;
