// All SQL statements for dry runs. Each reads a bounded number of keys, because the embedded store
// blocks the event loop while a statement runs.
import { allOf, named, type Sql, sql } from '../../base/sql.ts';
import { maybe, one } from '../../db/sql.ts';
import type { Check } from '../../doors/plan.ts';
import { partitionTypeFor } from '../keys/list-partition.ts';

/** The maximum number of keys per statement. Up to eight days of telemetry are read for each. */
export const KEYS_PER_STATEMENT = 250;

/** Which keys a statement reads. */
type KeyRange = {
  under: { id: string } | { tenantId: string } | { projectId: string };
  /** The list partition to read; null for a single key, which may be in any partition. */
  shelf: number | null;
  onlyInheriting: boolean;
  after: { createdAt: Date; id: string } | null;
  limit: number;
};

/** Sums over the API keys that one statement read, with the position of the last key. */
export type KeyCounts = {
  read: number;
  keys: number;
  activeKeys: number;
  tenantIds: string[];
  projectIds: string[];
  /** Requests today, yesterday, in the last seven days, and on the day before those seven. */
  today: number;
  yesterday: number;
  week: number;
  beforeWeek: number;
  lastUsedAt: Date | null;
  createdAt: Date;
  id: string;
};

/**
 * The number of days to read for each key: today and the seven days before it. Using it as a limit
 * keeps the planner from reading those days for all keys.
 */
const DAYS = 8;

// The date is read in a subquery, which is evaluated once per statement. A direct call to the clock
// would rule out using an index.
const today = sql`(select (app_now() at time zone 'UTC')::date)`;

const requests = (days: Sql): Sql =>
  sql`coalesce(sum(requests) filter (where ${days}), 0)::double precision`;

/** Counts keys, newest first; null if there are none left. */
export function countKeys(tx: Check, range: KeyRange): Promise<KeyCounts | null> {
  const { onlyInheriting, after, limit } = range;
  const wanted = allOf([
    ...placeOf(range),
    ...(after ? [sql`(created_at, id) < (${after.createdAt}, ${after.id})`] : []),
  ]);
  return maybe(
    tx,
    sql<KeyCounts>`
      with looked_at as materialized (
        select id, project_id, tenant_id, created_at, rate_limits is null as inherits,
          revoked_at is null and disabled_at is null
            and (expires_at is null or expires_at > ${tx.now}) as is_active
        from api_keys where ${wanted}
        order by created_at desc, id desc limit ${limit}
      ), counted as materialized (
        select * from looked_at ${onlyInheriting ? sql`where inherits` : sql``}
      ), traffic as (
        select ${requests(sql`day = ${today}`)} as today,
          ${requests(sql`day = ${today} - 1`)} as yesterday,
          ${requests(sql`day > ${today} - 7`)} as week,
          ${requests(sql`day = ${today} - 7`)} as before_week
        from counted cross join lateral (
          select day, requests from usage_key_days
          where key_id = counted.id and day >= ${today} - 7 and day <= ${today}
          order by day desc limit ${DAYS}) days
      )
      select (select count(*) from looked_at) as read,
        (select count(*) from counted) as keys,
        (select count(*) from counted where is_active) as active_keys,
        array(select distinct tenant_id from counted) as tenant_ids,
        array(select distinct project_id from counted) as project_ids,
        traffic.*,
        (select max(last_at) from counted cross join lateral (
          select last_at from usage_key_days where key_id = counted.id and last_at is not null
          order by day desc limit 1) used) as last_used_at,
        last.created_at, last.id
      from traffic cross join lateral (
        select created_at, id from looked_at order by created_at, id limit 1) last`,
  );
}

/**
 * Returns conditions that find one key by its ID, or all keys of a project or tenant through an
 * index, newest first.
 */
function placeOf({ under, shelf }: KeyRange): Sql[] {
  if ('id' in under) return [sql`id = ${under.id}`];
  const type = named(partitionTypeFor(under));
  const parent =
    'tenantId' in under ? sql`tenant_id = ${under.tenantId}` : sql`project_id = ${under.projectId}`;
  return [parent, sql`shelf::${type} = ${shelf}::${type}`];
}

/** Sums over secret keys. `seq` is the audit log position of the last secret key read. */
type SecretKeyCounts = {
  read: number;
  keys: number;
  activeKeys: number;
  lastUsedAt: Date | null;
  seq: number | null;
};

const secretKeyCounts = (now: Date) => sql`
  count(k.id) as keys, max(u.used_at) as last_used_at,
  count(k.id) filter (where k.expires_at is null or k.expires_at > ${now}) as active_keys`;

export const countSecretKey = (tx: Check, id: string): Promise<SecretKeyCounts> =>
  one(
    tx,
    sql<SecretKeyCounts>`select count(*) as read, null::bigint as seq, ${secretKeyCounts(tx.now)}
      from secret_keys k left join secret_key_uses u on u.secret_key_id = k.id
      where k.id = ${id} and k.revoked_at is null`,
  );

/** Counts the unrevoked secret keys that a user created directly or by rotation. */
export const countMintedKeys = (
  tx: Check,
  userId: string,
  { beforeSeq, limit }: { beforeSeq: number | null; limit: number },
): Promise<SecretKeyCounts> =>
  one(
    tx,
    sql<SecretKeyCounts>`
      with created as materialized (
        select seq, case action when 'secret_key.created' then target_id
          else (payload::json ->> 'successor_id')::uuid end as key_id
        from audit_logs
        where actor_id = ${userId} and action in ('secret_key.created', 'secret_key.rotated')
          ${beforeSeq === null ? sql`` : sql`and seq < ${beforeSeq}`}
        order by seq desc limit ${limit}
      )
      select (select count(*) from created) as read, (select min(seq) from created) as seq,
        ${secretKeyCounts(tx.now)}
      from created join secret_keys k on k.id = created.key_id and k.revoked_at is null
        left join secret_key_uses u on u.secret_key_id = k.id`,
  );
