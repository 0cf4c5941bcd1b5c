// The parts of the statements that list keys. A list reads each partition that it covers from an
// index, in the index's order.
import type { KeyState } from '@keyrail/protocol/wire/key-states.ts';
import { allOf, named, type Sql, sql } from '../../base/sql.ts';
import type { Env, Reach } from '../../doors/reach.ts';
import { endsIn, stateShelfOf } from '../credentials/key-state.ts';
import { partitionsIn, partitionTypeFor } from './list-partition.ts';
import { isUnused, unusedSince } from './unused-keys.ts';

export type Position = { createdAt: Date; id: string };

export type KeyFilter = {
  projectId?: string | undefined;
  tenantId?: string | undefined;
  env?: Env | undefined;
  includeRevoked: boolean;
  /** Lists only keys in this state, and ignores `includeRevoked`. */
  state?: KeyState | undefined;
  unusedDays?: number | undefined;
  ids?: readonly string[] | undefined;
  /** The search text: any part of a name, display prefix or ID. */
  q?: string | undefined;
};

export type Scan = {
  /**
   * The list partitions to read. `covers` selects one of them, in a form that only the intended
   * index supports.
   */
  partitions: number[];
  /**
   * The projects to read, one after the other; null to read all keys in each partition together.
   */
  projectIds: string[] | null;
  covers: Sql;
  conditions: Sql[];
  order: Sql;
  selected?: Sql;
};

export const envsIn = (reach: Reach, { env }: Pick<KeyFilter, 'env'>): Env[] =>
  reach.envs.filter((each) => env === undefined || each === env);

export function placeIn(reach: Reach, filter: KeyFilter) {
  const { tenantId = reach.tenantId } = filter;
  const [projectId, ...others] =
    filter.projectId === undefined ? (reach.projectIds ?? []) : [filter.projectId];
  const type = partitionTypeFor({ projectId, tenantId });
  const ofTenant = tenantId === undefined ? [] : [sql`tenant_id = ${tenantId}`];
  if (projectId === undefined) return { conditions: ofTenant, type, projectIds: null };
  if (others.length === 0) {
    return { conditions: [sql`project_id = ${projectId}`, ...ofTenant], type, projectIds: null };
  }
  // A tenant's keys are read together, because row-level security already limits them to the
  // projects that the caller can access.
  return tenantId === undefined
    ? { conditions: [sql`project_id = wanted.id`], type, projectIds: [projectId, ...others] }
    : { conditions: ofTenant, type, projectIds: null };
}

export const ofPartition = (type: string): Sql =>
  sql`shelf::${named(type)} = covered.shelf::${named(type)}`;

/** Describes how a list reads its keys from an index: newest first, which is the index's order. */
export function scanOf(reach: Reach, filter: KeyFilter, after: Position | null): Scan {
  const { state, unusedDays } = filter;
  const envs = envsIn(reach, filter);
  const place = placeIn(reach, filter);
  const conditions = [
    ...place.conditions,
    ...(after ? [sql`(created_at, id) < (${after.createdAt}, ${after.id})`] : []),
    ...(unusedDays === undefined ? [] : [sql`created_at <= ${unusedSince(unusedDays)}`]),
  ];
  const order = sql`created_at desc, id desc`;
  const { projectIds } = place;
  if (state === undefined) {
    const partitions = partitionsIn(envs, filter);
    return { partitions, projectIds, covers: ofPartition(place.type), conditions, order };
  }
  return {
    partitions: envs.map((env) => stateShelfOf(state, env)),
    projectIds,
    covers: sql`state_shelf = covered.shelf`,
    conditions: [...conditions, ...endsIn(state)],
    order,
  };
}

/** Reads each partition's first keys, in index order. */
export function fromEach(scan: Scan & { limit: number }): Sql {
  const { partitions, projectIds, covers, conditions, order, limit, selected = sql`*` } = scan;
  const each = projectIds ? sql`cross join unnest(${projectIds}::uuid[]) as wanted (id)` : sql``;
  return sql`
    select first.* from unnest(${partitions}::smallint[]) as covered (shelf) ${each}
    cross join lateral (
      select ${selected} from api_keys where ${allOf([covers, ...conditions])}
      order by ${order} limit ${limit}
    ) first`;
}

export const unusedIn = ({ unusedDays }: KeyFilter): Sql[] =>
  unusedDays === undefined ? [] : [isUnused(unusedDays)];
