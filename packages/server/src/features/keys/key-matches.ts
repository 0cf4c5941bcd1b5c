// Which keys match a search text: by the start of a field, which an index finds among all keys, and
// by any part of one, among the newest keys.
import { SEARCH_EXAMINED_MAX, SEARCH_MATCHES_MAX } from '@keyrail/protocol/wire/limits.ts';
import { idRangeOf } from '../../base/prefix-range.ts';
import { allOf, type Sql, sql } from '../../base/sql.ts';
import { beginsWith, idText, isPart, newestIn, rankedIn } from '../../base/text-match.ts';
import type { Reach } from '../../doors/reach.ts';
import { endsIn, stateShelfOf } from '../credentials/key-state.ts';
import { envsIn, fromEach, type KeyFilter, ofPartition, placeIn, unusedIn } from './key-scan.ts';
import { partitionsIn, SEARCH_PARTITION_TYPE } from './list-partition.ts';

const nameKey = sql`name_key`;
const prefixKey = sql`prefix_key`;
const fields = [nameKey, prefixKey, idText];

/** The columns that the filters and the match read. */
const selected = sql`id, created_at, state_shelf, ends_at, name_key, prefix_key`;

/** The state and last-use filters apply only to the matches. */
export function keyMatches(reach: Reach, q: string, filter: KeyFilter): Sql[] {
  const envs = envsIn(reach, filter);
  const partitions = partitionsIn(envs, filter);
  const { state } = filter;
  const checks = [
    ...(state === undefined
      ? []
      : [sql`state_shelf = any (${envs.map((env) => stateShelfOf(state, env))}::smallint[])`]),
    ...(state === undefined ? [] : endsIn(state)),
    ...unusedIn(filter),
  ];
  const { conditions, projectIds, type } = placeIn(reach, filter);
  const checked = (keys: Sql): Sql =>
    checks.length === 0
      ? sql`(${keys}) api_keys`
      : sql`(select * from (${keys}) api_keys where ${allOf(checks)}) api_keys`;
  const starting = (condition: Sql, order: Sql): Sql =>
    rankedIn(
      checked(
        fromEach({
          partitions,
          projectIds,
          covers: ofPartition(SEARCH_PARTITION_TYPE),
          conditions: [condition, ...conditions],
          order,
          limit: SEARCH_MATCHES_MAX,
          selected,
        }),
      ),
      { fields, q },
    );
  const newest = fromEach({
    partitions,
    projectIds,
    covers: ofPartition(type),
    conditions,
    order: sql`created_at desc, id desc`,
    limit: Math.ceil(SEARCH_EXAMINED_MAX / (projectIds?.length ?? 1)),
    selected,
  });
  const ids = idRangeOf(q);
  return [
    starting(beginsWith(nameKey, q), sql`name_key, created_at desc`),
    starting(beginsWith(prefixKey, q), sql`prefix_key, created_at desc`),
    ...(ids ? [starting(sql`id >= ${ids.from} and id <= ${ids.to}`, sql`id desc`)] : []),
    ...(isPart(q) ? [newestIn(checked(newest), fields, q)] : []),
  ];
}
