// Lists of keys, newest first: by project or tenant, by state, by last use, and by a search text.
import type { KeyState } from '@keyrail/protocol/wire/key-states.ts';
import { UNUSED_KEYS_EXAMINED_MAX } from '@keyrail/protocol/wire/limits.ts';
import type { Listed, PageSize, SizedPage } from '../../base/sized-page.ts';
import { allOf, type Sql, sql } from '../../base/sql.ts';
import { newestMatches } from '../../base/text-match.ts';
import { byIds, maybe, sizedPage } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Read } from '../../doors/door.ts';
import { apiKeyState } from '../credentials/key-state.ts';
import { conditionsOf, keyMatches, tenantKeyMatches } from './key-matches.ts';
import {
  fromEach,
  type KeyFilter,
  type Position,
  type Scan,
  scanOf,
  unusedIn,
} from './key-scan.ts';

type Row = Tables['apiKeys'] & { state: KeyState; lastUsedAt: Date | null };

export type ListedKey = Listed<Omit<Row, 'meta' | Unlisted>>;

type Unlisted =
  | ('workspaceId' | 'lookupHash' | 'metaBytes' | 'vendorExpiresAt' | 'changeId' | 'retiredAt')
  | ('shelf' | 'stateShelf' | 'endsAt' | 'nameKey' | 'prefixKey');

const columns = sql`id, project_id, tenant_id, env, display_prefix, name, scopes, rate_limits,
  expires_at, revoked_at, revoked_reason, quarantined_at, quarantine_reason, disabled_at,
  disabled_reason, rotated_from, imported, created_at, ${apiKeyState} as state,
  (select last_at from usage_key_days
    where key_id = page.id and last_at is not null order by day desc limit 1) as last_used_at`;

/**
 * Lists keys, newest first, starting after a given position. The newest keys of each list partition
 * are read from an index, so the cost depends only on the page size, not on the number of keys or
 * the filter. A search reads a bounded number of keys: see key-matches.ts.
 */
export async function listKeys(
  tx: Read,
  { filter, after }: { filter: KeyFilter; after: Position | null },
  { limit, metaBytes }: PageSize,
): Promise<SizedPage<ListedKey>> {
  const { ids, q } = filter;
  if (ids !== undefined) {
    const found = byIds('api_keys', ids, allOf(conditionsOf(tx.reach, filter, after)));
    const listed = newestOf(sql`select * from ${found}`, limit);
    return sizedPage(tx, { listed, columns }, metaBytes);
  }
  if (q !== undefined) {
    const matches = [...keyMatches(tx.reach, q, filter), ...tenantKeyMatches(tx.reach, q, filter)];
    const listed = keysOf(newestMatches({ matches, after, limit }));
    return sizedPage(tx, { listed, columns }, metaBytes);
  }
  const scan = scanOf(tx.reach, filter, after);
  const end = filter.unusedDays === undefined ? null : await findEnd(tx, scan);
  const listed = newestOf(
    fromEach({
      ...scan,
      conditions: [
        ...scan.conditions,
        ...(end ? [sql`(created_at, id) >= (${end.createdAt}, ${end.id})`] : []),
        ...unusedIn(filter),
      ],
      limit,
    }),
    limit,
  );
  return { ...(await sizedPage<ListedKey>(tx, { listed, columns }, metaBytes)), end };
}

const newestOf = (keys: Sql, limit: number): Sql =>
  sql`${keys} order by created_at desc, id desc limit ${limit}`;

/**
 * If a page may not examine all remaining keys, finds the last one it may examine; otherwise null.
 */
const findEnd = (tx: Read, scan: Scan): Promise<Position | null> =>
  maybe(
    tx,
    sql<Position>`select created_at, id from (${newestOf(
      fromEach({ ...scan, selected: sql`created_at, id`, limit: UNUSED_KEYS_EXAMINED_MAX }),
      UNUSED_KEYS_EXAMINED_MAX,
    )}) examined
      order by created_at desc, id desc offset ${UNUSED_KEYS_EXAMINED_MAX - 1} limit 1`,
  );

/**
 * Loads the complete rows of a page's keys. Because of the limit, the planner looks up each row by
 * its ID instead of reading the whole table.
 */
const keysOf = (page: Sql): Sql => sql`
  select found.* from ${page}
  cross join lateral (select * from api_keys where id = page.id limit 1) found`;
