// All SQL statements that read traffic totals or remove expired totals.
import { allOf, type Sql, sql } from '../../base/sql.ts';
import { many, maybe } from '../../db/sql.ts';
import type { Read } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import type { Work } from '../../doors/work.ts';

export type DayRow = { day: string; requests: number; errors: number };

// The current day, in a subquery that is evaluated once per statement. A direct call to the clock
// would rule out using an index.
const today = sql`(select (app_now() at time zone 'UTC')::date)`;

/**
 * Lists a key's usage in the last `days` days, including today. Days without traffic are omitted.
 */
export const listKeyDays = (tx: Read, keyId: string, days: number): Promise<DayRow[]> =>
  many(
    tx,
    sql<DayRow>`select day::text, requests, errors from usage_key_days known
      where key_id = ${keyId} and day > ${today} - ${days}::int and day <= ${today}
      order by known.day`,
  );

type KeyDayRow = DayRow & { keyId: string };

/** Like `listKeyDays`, for several keys. */
export const listDaysOfKeys = (
  tx: Read,
  keyIds: readonly string[],
  days: number,
): Promise<KeyDayRow[]> =>
  many(
    tx,
    sql<KeyDayRow>`select key_id, known.day::text, requests, errors
      from unnest(${keyIds}::uuid[]) as wanted (id) cross join lateral (
        select * from usage_key_days
        where key_id = wanted.id and day > ${today} - ${days}::int and day <= ${today}
        order by day limit ${days}) known
      order by known.day`,
  );

/** The first day of the period that covers the last `months` months, including this one. */
const since = (months: number) =>
  sql`(select (date_trunc('month', app_now() at time zone 'UTC')
    - ${months - 1}::int * interval '1 month')::date)`;

export type MonthRow = { month: string; activeTenants: number };

type Page<Position> = { months: number; after: Position | null; limit: number };

/** Counts each tenant once per month, even if it is active in several projects. */
export const listBillableMonths = (
  tx: Read,
  { months, after, limit }: Page<string>,
): Promise<MonthRow[]> =>
  many(
    tx,
    sql<MonthRow>`
      select active.month::text, count(*) as active_tenants from (
        select distinct month, tenant_id from usage_tenant_months
        where env = 'live' and month >= ${since(months)} and month <= ${today}
          and month > ${after ?? '-infinity'}::date) active
      group by active.month order by active.month limit ${limit}`,
  );

export type TenantMonthRow = {
  tenantId: string;
  projectId: string;
  env: Env;
  month: string;
  requestCount: number;
  firstSeenAt: Date;
  lastSeenAt: Date;
};

export type TenantMonthPlace = Pick<TenantMonthRow, 'month' | 'tenantId' | 'projectId' | 'env'>;

type TenantMonthFilter = {
  env?: Env | undefined;
  tenantId?: string | undefined;
  projectId?: string | undefined;
};

export function listTenantMonths(
  tx: Read,
  { months, after, limit, env, tenantId, projectId }: Page<TenantMonthPlace> & TenantMonthFilter,
): Promise<TenantMonthRow[]> {
  const conditions = [
    sql`month >= ${since(months)} and month <= ${today}`,
    ...(env ? [sql`env = ${env}`] : []),
    ...(projectId ? [sql`project_id = ${projectId}`] : []),
    // The second condition implies the first, but only the first can use the index, because under
    // row-level security, env can't be an index condition.
    ...(after
      ? [
          sql`(month, tenant_id, project_id) >= (${after.month}, ${after.tenantId}, ${after.projectId})`,
          sql`(month, tenant_id, project_id, env)
            > (${after.month}, ${after.tenantId}, ${after.projectId}, ${after.env})`,
        ]
      : []),
  ];
  const where = allOf(conditions);
  // For a single tenant, each month is looked up separately, because the index starts with the
  // month.
  const known =
    tenantId === undefined
      ? sql`usage_tenant_months known where ${where}`
      : sql`generate_series(0, ${months - 1}::int) as back cross join lateral (
          select * from usage_tenant_months
          where month = (${since(months)} + back * interval '1 month')::date
            and tenant_id = ${tenantId} and ${where}
          order by project_id, env limit ${limit}) known`;
  return many(
    tx,
    sql<TenantMonthRow>`
      select tenant_id, project_id, env, month::text, request_count, first_seen_at, last_seen_at
      from ${known}
      order by known.month, tenant_id, project_id, env limit ${limit}`,
  );
}

type OverviewFilter = {
  interval: 'hour' | 'day';
  count: number;
  projectId: string | undefined;
  env: Env | undefined;
};

export type IntervalRow = {
  start: Date;
  requests: number;
  errors: number;
  degraded: number;
  /**
   * The number of requests in each latency bucket; buckets are numbered from 1. Null if no request
   * was allowed.
   */
  latency: Record<string, number> | null;
  denials: Record<string, number> | null;
};

/** Uses one statement, so that all metrics are from the same moment. */
export function listIntervals(tx: Read, filter: OverviewFilter): Promise<IntervalRow[]> {
  const { interval, count, projectId, env } = filter;
  const first = sql`(select date_trunc(${interval}, app_now(), 'UTC')
    - ${count - 1}::int * ${interval === 'hour' ? '1 hour' : '24 hours'}::interval)`;
  const wanted = allOf([
    sql`hour >= ${first} and hour <= (select app_now())`,
    ...(projectId ? [sql`project_id = ${projectId}`] : []),
    ...(env ? [sql`env = ${env}`] : []),
  ]);
  const start = sql`date_trunc(${interval}, hour, 'UTC') as start`;
  return many(
    tx,
    sql<IntervalRow>`
      with hours as materialized (select *, ${start} from usage_hours where ${wanted}),
      sums as (
        select start, sum(requests) as requests, sum(errors) as errors, sum(degraded) as degraded
        from hours group by start
      ), latencies as (
        select start, json_object_agg(bucket, counted) as latency from (
          select start, bucket, sum(counted) as counted
          from hours, unnest(latency) with ordinality as part (counted, bucket)
          where counted > 0 group by start, bucket) parts
        group by start
      ), refusals as (
        select start, json_object_agg(reason, requests) as denials from (
          select ${start}, reason, sum(requests) as requests
          from usage_denials where ${wanted} group by 1, reason) parts
        group by start
      )
      select * from sums left join latencies using (start) left join refusals using (start)
      order by start`,
  );
}

type Old = { before: Date; limit: number };

/** Returns the number of removed rows, as do the next two functions. */
export const removeOldHours = (tx: Work, { before, limit }: Old): Promise<number> =>
  removed(
    tx,
    sql`delete from usage_hours where (workspace_id, hour, project_id, env) in (
        select workspace_id, hour, project_id, env from usage_hours
        where hour < ${before} order by hour limit ${limit}) returning 1`,
  );

export const removeOldDenials = (tx: Work, { before, limit }: Old): Promise<number> =>
  removed(
    tx,
    sql`delete from usage_denials where (workspace_id, hour, project_id, env, reason) in (
        select workspace_id, hour, project_id, env, reason from usage_denials
        where hour < ${before} order by hour limit ${limit}) returning 1`,
  );

export const removeOldBatches = (tx: Work, { before, limit }: Old): Promise<number> =>
  removed(
    tx,
    sql`delete from ingest_batches where (workspace_id, batch_id, env) in (
        select workspace_id, batch_id, env from ingest_batches
        where received_at < ${before} order by received_at limit ${limit}) returning 1`,
  );

export type KeyDayPlace = { day: string; keyId: string };

/**
 * Removes old days, one page at a time, except the day on which each key was last used, which is
 * kept forever. Returns the end of the page, or null after the last page.
 */
export const removeOldKeyDays = (
  tx: Work,
  { before, limit, after }: Old & { after: KeyDayPlace | null },
): Promise<KeyDayPlace | null> =>
  maybe(
    tx,
    sql<KeyDayPlace>`
      with page as (
        select key_id, day from usage_key_days
        where day < (${before}::timestamptz at time zone 'UTC')::date
          and (day, key_id) > (${after?.day ?? '-infinity'}::date, ${after?.keyId ?? NO_ID}::uuid)
        order by day, key_id limit ${limit}
      ), gone as (
        delete from usage_key_days old using page
        where old.key_id = page.key_id and old.day = page.day
          and (old.last_at is null
            or exists (select from usage_key_days newer where newer.key_id = old.key_id
                         and newer.day > old.day and newer.last_at is not null))
      )
      select day::text, key_id from page order by page.day desc, key_id desc limit 1`,
  );

const NO_ID = '00000000-0000-0000-0000-000000000000';

async function removed(tx: Work, statement: Sql): Promise<number> {
  return (await many(tx, statement)).length;
}
