// The worker's SQL statements for the delivery queue. A delivery is claimed before it is sent, and
// only the claim's holder may record its result. Claims expire.

import { msAfter } from '../../base/duration.ts';
import { type Sql, sql } from '../../base/sql.ts';
import { many, maybe } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Work } from '../../doors/work.ts';
import { isDue, isUnclaimed } from '../jobs/due-times.ts';
import { CLAIM_MS, LONGEST_PAUSES_MS } from './attempt-schedule.ts';
import type { Attempt } from './webhook-request.ts';

type Endpoint = Tables['webhookEndpoints'];

/** A delivery, plus the endpoint fields needed to send it. */
export type DueDelivery = Tables['webhookDeliveries'] &
  Pick<Endpoint, 'url' | 'sealedSecret' | 'sealedOldSecret' | 'oldSecretUntil'> & {
    /** The endpoint's current environment. `env` is its environment when the event was queued. */
    endpointEnv: Endpoint['env'];
  };

const ofEndpoint = sql`e.env as endpoint_env, e.url, e.sealed_secret, e.sealed_old_secret,
  e.old_secret_until`;

/**
 * Endpoints with pending deliveries, in ID order, and whether any of their deliveries is due. Each
 * endpoint is found by skipping ahead in the index, so a million deliveries waiting for one
 * endpoint don't slow down the others.
 */
export async function listWaiting(
  tx: Work,
  { after, limit }: { after: string; limit: number },
): Promise<{ endpointId: string; isDue: boolean }[]> {
  return many(
    tx,
    sql<{ endpointId: string; isDue: boolean }>`with recursive waiting (endpoint_id) as (
        (select endpoint_id from webhook_deliveries
          where state = 'pending' and endpoint_id > ${after}
          order by endpoint_id limit 1)
        union all
        select (select d.endpoint_id from webhook_deliveries d
          where d.state = 'pending' and d.endpoint_id > w.endpoint_id
          order by d.endpoint_id limit 1)
        from waiting w where w.endpoint_id is not null)
      -- Scalar subqueries, because without statistics the planner would read all deliveries for
      -- "exists", and all endpoints for a join.
      select w.endpoint_id, coalesce((
          select true from webhook_endpoints e where e.id = w.endpoint_id
            and e.disabled_at is null and e.deleted_at is null), false) and coalesce((
          select ${isDue(tx.now, LONGEST_PAUSES_MS)} from webhook_deliveries d
          where d.endpoint_id = w.endpoint_id and d.state = 'pending'
            and ${isUnclaimed(tx.now, CLAIM_MS)}
          order by d.due_at limit 1), false) as is_due
      from (select endpoint_id from waiting where endpoint_id is not null limit ${limit}) w
      order by w.endpoint_id`,
  );
}

type Claiming = {
  claim: string;
  untilMs: number;
  /** The maximum number of deliveries to claim for each endpoint. */
  rooms: ReadonlyMap<string, number>;
};

/**
 * Claims due deliveries, longest waiting first. Deliveries dated in the future (because the clock
 * has since been set back) come last.
 */
export const claimDue = (tx: Work, { claim, untilMs, rooms }: Claiming): Promise<DueDelivery[]> =>
  many(
    tx,
    sql<DueDelivery>`with due as materialized (
        select first.id
        from unnest(${[...rooms.keys()]}::uuid[], ${[...rooms.values()]}::int[])
          as wanted (endpoint_id, room)
        join webhook_endpoints e on e.id = wanted.endpoint_id
          and e.disabled_at is null and e.deleted_at is null
        cross join lateral (
          select d.id, ${isDue(tx.now, LONGEST_PAUSES_MS)} as is_due from webhook_deliveries d
          where d.endpoint_id = wanted.endpoint_id and d.state = 'pending'
            and ${isUnclaimed(tx.now, CLAIM_MS)}
          order by d.due_at limit wanted.room for update skip locked) first
        where first.is_due)
      update webhook_deliveries d set claim = ${claim}, attempts = d.attempts + 1,
          claimed_until = ${msAfter(tx.now, untilMs)}
        from webhook_endpoints e
        where d.id in (select id from due) and e.id = d.endpoint_id
        returning d.*, ${ofEndpoint}`,
  );

/**
 * Claims a delivery from queueTest(), which is queued with its own ID as its first claim. Null if
 * the first claim has expired, or a worker has already claimed the delivery.
 */
export const claimOwn = (
  tx: Work,
  { id, claim, untilMs }: Claimed & { untilMs: number },
): Promise<DueDelivery | null> =>
  maybe(
    tx,
    sql<DueDelivery>`update webhook_deliveries d set claim = ${claim}, attempts = d.attempts + 1,
        claimed_until = ${msAfter(tx.now, untilMs)}
      from webhook_endpoints e
      where d.id = ${id} and d.claim = d.id and d.claimed_until > ${tx.now}
        and d.state = 'pending' and e.id = d.endpoint_id
      returning d.*, ${ofEndpoint}`,
  );

type Claimed = { id: string; claim: string };

/** Deletes a delivery that its endpoint must not receive. */
export async function removeClaimed(tx: Work, { id, claim }: Claimed): Promise<void> {
  await many(tx, sql`delete from webhook_deliveries where id = ${id} and claim = ${claim}`);
}

/** False if the claim has been lost. */
export async function updateDelivered(
  tx: Work,
  { id, claim }: Claimed,
  { status, durationMs }: Attempt,
): Promise<boolean> {
  const row = await maybe(
    tx,
    sql<{ endpointId: string }>`update webhook_deliveries
      set state = 'delivered', delivered_at = ${tx.now}, claim = null, claimed_until = null,
        last_status = ${status}, last_error = null, duration_ms = ${durationMs}
      where id = ${id} and claim = ${claim} returning endpoint_id`,
  );
  if (!row) return false;
  await many(
    tx,
    sql`update webhook_endpoints set failing_since = null
      where id = ${row.endpointId} and failing_since is not null`,
  );
  return true;
}

type Failure = Attempt & {
  /** Null if there won't be another attempt. */
  dueAt: Date | null;
};

/** Returns the time since which the endpoint has been failing; null if the claim has been lost. */
export async function updateUndelivered(
  tx: Work,
  { id, claim }: Claimed,
  { status, error, durationMs, dueAt }: Failure,
): Promise<Date | null> {
  const row = await maybe(
    tx,
    sql<{ endpointId: string }>`update webhook_deliveries
      set state = ${dueAt === null ? 'failed' : 'pending'}, due_at = ${dueAt ?? tx.now},
        claim = null, claimed_until = null, last_status = ${status}, last_error = ${error},
        duration_ms = ${durationMs}
      where id = ${id} and claim = ${claim} returning endpoint_id`,
  );
  if (!row) return null;
  const endpoint = await maybe(
    tx,
    sql<{ failingSince: Date }>`update webhook_endpoints
      set failing_since = coalesce(failing_since, ${tx.now})
      where id = ${row.endpointId} returning failing_since`,
  );
  return endpoint?.failingSince ?? null;
}

/** Makes an interrupted delivery due immediately. The interruption doesn't count as an attempt. */
export async function updateReleased(tx: Work, { id, claim }: Claimed): Promise<void> {
  await many(
    tx,
    sql`update webhook_deliveries
      set claim = null, claimed_until = null, attempts = attempts - 1
      where id = ${id} and claim = ${claim}`,
  );
}

type Purge = { before: Date; limit: number };

/** Deletes deliveries created before `before`. Returns how many were deleted. */
export const removeOldDeliveries = (tx: Work, { before, limit }: Purge): Promise<number> =>
  removed(
    tx,
    sql`delete from webhook_deliveries where id in (
      select id from webhook_deliveries where created_at < ${before} limit ${limit}) returning id`,
  );

/**
 * Deletes deliveries to endpoints that were deleted at or after `before`. Returns how many were
 * deleted. Deliveries to endpoints deleted earlier are all older than `before`, so
 * removeOldDeliveries() deletes them. The join is lateral, because a merge join would also read
 * other endpoints' deliveries.
 */
export const removeOrphanedDeliveries = (tx: Work, { before, limit }: Purge): Promise<number> =>
  removed(
    tx,
    sql`delete from webhook_deliveries where id in (
        select d.id from webhook_endpoints e
        cross join lateral (
          select id from webhook_deliveries where endpoint_id = e.id limit ${limit}) d
        where e.deleted_at >= ${before} limit ${limit})
      returning id`,
  );

const removed = async (tx: Work, statement: Sql): Promise<number> =>
  (await many(tx, statement)).length;
