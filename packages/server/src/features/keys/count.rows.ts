// Counts keys. Each count reads adjacent index entries and stops at a limit, so its cost doesn't
// depend on the number of keys.
import type { KeyState } from '@keyrail/protocol/wire/key-states.ts';
import {
  COUNTED_MAX,
  KEYS_COUNTED_MAX,
  UNUSED_DAYS_COUNTED,
} from '@keyrail/protocol/wire/limits.ts';
import { allOf, joined, named, type Sql, sql } from '../../base/sql.ts';
import { byIds, many, one } from '../../db/sql.ts';
import type { Read } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import { endsIn, stateShelfOf } from '../credentials/key-state.ts';
import { partitionsIn, partitionsOf, partitionTypeFor } from './list-partition.ts';
import { isUnused, unusedSince } from './unused-keys.ts';

/** The states that a summary counts. */
const countedStates = ['active', 'disabled', 'expiring', 'expired', 'quarantined'] as const;

type CountedState = (typeof countedStates)[number];

export type StateCounts = Record<CountedState, number>;

/** Keys in the same state are adjacent in the api_keys_ends index. */
const countOf = (state: KeyState, envs: readonly Env[]): Sql => {
  const conditions = [sql`state_shelf::int = covered.shelf`, ...endsIn(state)];
  return sql`(select count(*)::int from (
    select from unnest(${envs.map((env) => stateShelfOf(state, env))}::int[]) as covered (shelf)
    cross join lateral (
      select from api_keys where ${allOf(conditions)}
      order by ends_at limit ${COUNTED_MAX}) keys
    limit ${COUNTED_MAX}) counted) as ${named(state)}`;
};

export const countByState = (tx: Read, envs: readonly Env[]): Promise<StateCounts> =>
  one(tx, sql<StateCounts>`select ${joined(countedStates.map((state) => countOf(state, envs)))}`);

/** Counts unused keys. Returns null if there are too many old keys to examine. */
export async function countUnused(tx: Read, envs: readonly Env[]): Promise<number | null> {
  const partitions = partitionsOf(envs, { includeRevoked: false });
  const { unused } = await one(
    tx,
    sql<{ unused: number | null }>`
      with old as materialized (
        select keys.* from unnest(${partitions}::int[]) as covered (shelf) cross join lateral (
          select id, created_at from api_keys
          where shelf::int = covered.shelf and created_at <= ${unusedSince(UNUSED_DAYS_COUNTED)}
          order by created_at desc, id desc limit ${COUNTED_MAX + 1}) keys
        limit ${COUNTED_MAX + 1}
      )
      select case when (select count(*) from old) <= ${COUNTED_MAX} then (
        select count(*)::int from old as api_keys where ${isUnused(UNUSED_DAYS_COUNTED)}
      ) end as unused`,
  );
  return unused;
}

export type KeyCountRow = {
  projectId: string | null;
  tenantId: string | null;
  env: Env;
  active: number;
  total: number;
};

type Parents = { by: 'project' | 'tenant'; ids: readonly string[]; envs: readonly Env[] };

/**
 * Counts each parent's keys, starting with the newest, up to a limit. Unknown parents are omitted.
 */
export function countUnder(tx: Read, { by, ids, envs }: Parents): Promise<KeyCountRow[]> {
  const isProject = by === 'project';
  const type = named(partitionTypeFor(isProject ? { projectId: '' } : { tenantId: '' }));
  const keys = (shelf: Sql) => sql`
    select env, state_shelf, ends_at from api_keys
    where ${named(`${by}_id`)} = parent.id and shelf::${type} = ${shelf}
    order by created_at desc, id desc limit ${KEYS_COUNTED_MAX}`;
  const isActive = allOf([sql`state_shelf = covered.active`, ...endsIn('active')]);
  // The partitions are computed here and passed with the same type as in the index, because under
  // row-level security PostgreSQL doesn't use an index for a condition with a sum or a cast.
  const shelves = partitionsOf(envs, { includeRevoked: false });
  const revoked = partitionsIn(envs, { state: 'revoked', includeRevoked: true });
  const actives = envs.map((env) => stateShelfOf('active', env));
  return many(
    tx,
    sql<KeyCountRow>`
      select ${isProject ? sql`parent.id` : sql`null::uuid`} as project_id,
        ${isProject ? sql`null::uuid` : sql`parent.id`} as tenant_id, covered.env,
        unrevoked.active, least(unrevoked.keys + revoked.keys, ${KEYS_COUNTED_MAX})::int as total
      from (select id from ${byIds(`${by}s`, ids, sql`deleted_at is null`)}) parent
      cross join unnest(${envs}::text[], ${shelves}::${type}[], ${revoked}::${type}[],
        ${actives}::int[]) as covered (env, shelf, revoked_shelf, active)
      cross join lateral (
        select count(*)::int as keys, (count(*) filter (where ${isActive}))::int as active
        from (${keys(sql`covered.shelf`)}) newest) unrevoked
      cross join lateral (
        select count(*)::int as keys from (${keys(sql`covered.revoked_shelf`)}) newest) revoked`,
  );
}
