// Statements of the worker on the queue of deliveries. A delivery is claimed before it is sent, and
// only the holder of the claim may record its result; a claim expires.
import { type Selectable, sql } from 'kysely';
import { msAfter } from '../../base/duration.ts';
import { many, maybe } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Work } from '../../doors/work.ts';
import type { Attempt } from './send-request.ts';

type Endpoint = Selectable<Tables['webhookEndpoints']>;

/** A delivery with what sending it needs of its endpoint. */
export type DueDelivery = Selectable<Tables['webhookDeliveries']> &
  Pick<Endpoint, 'url' | 'sealedSecret' | 'sealedOldSecret' | 'oldSecretUntil'>;

type Claiming = {
  claim: string;
  untilMs: number;
  /** Endpoints after this one come first, so that each gets its turn. */
  afterEndpoint: string;
  perEndpointMax: number;
  limit: number;
  /** Endpoints with as many requests in flight as they may have. */
  busy: readonly string[];
};

/**
 * Claims due deliveries of many endpoints, a few of each. The endpoints are found one by one in the
 * index of pending deliveries, so that a million deliveries that wait for one endpoint cost the
 * others nothing.
 */
export const claimDue = (tx: Work, wanted: Claiming): Promise<DueDelivery[]> => {
  const { claim, untilMs, afterEndpoint, perEndpointMax, limit, busy } = wanted;
  return many(
    tx,
    sql<DueDelivery>`with recursive
      waiting (endpoint_id, rank) as (
        (select endpoint_id, 1 from webhook_deliveries
          where state = 'pending' and endpoint_id > ${afterEndpoint}
          order by endpoint_id limit 1)
        union all
        select (select d.endpoint_id from webhook_deliveries d
          where d.state = 'pending' and d.endpoint_id > w.endpoint_id
          order by d.endpoint_id limit 1), rank + 1
        from waiting w where w.endpoint_id is not null and rank < ${ENDPOINTS_MAX}),
      due as (
        select first.id from waiting
        join webhook_endpoints e on e.id = waiting.endpoint_id
          and e.disabled_at is null and e.deleted_at is null and e.id <> all (${busy}::uuid[])
        cross join lateral (
          select d.id from webhook_deliveries d
          where d.endpoint_id = waiting.endpoint_id and d.state = 'pending'
            and d.due_at <= ${tx.now} and (d.claimed_until is null or d.claimed_until <= ${tx.now})
          order by d.due_at limit ${perEndpointMax}) first
        limit ${limit}),
      locked as (
        select id from webhook_deliveries where id in (select id from due)
          and (claimed_until is null or claimed_until <= ${tx.now})
        for update skip locked)
    update webhook_deliveries d set claim = ${claim}, attempts = d.attempts + 1,
        claimed_until = ${msAfter(tx.now, untilMs)}
      from webhook_endpoints e
      where d.id in (select id from locked) and e.id = d.endpoint_id
      returning d.*, e.url, e.sealed_secret, e.sealed_old_secret, e.old_secret_until`,
  );
};

/** Null if another process is sending it, or nothing is to be sent. */
export const claimOne = (
  tx: Work,
  { id, claim, untilMs }: Claimed & { untilMs: number },
): Promise<DueDelivery | null> =>
  maybe(
    tx,
    sql<DueDelivery>`update webhook_deliveries d set claim = ${claim}, attempts = d.attempts + 1,
        claimed_until = ${msAfter(tx.now, untilMs)}
      from webhook_endpoints e
      where d.id = ${id} and d.state = 'pending' and e.id = d.endpoint_id
        and (d.claimed_until is null or d.claimed_until <= ${tx.now})
      returning d.*, e.url, e.sealed_secret, e.sealed_old_secret, e.old_secret_until`,
  );

/** Endpoints that one claim looks at. */
const ENDPOINTS_MAX = 1000;

type Claimed = { id: string; claim: string };

/** The row of the audit log, or the endpoint, is gone: there is nothing to send. */
export async function removeClaimed(tx: Work, { id, claim }: Claimed): Promise<void> {
  await many(tx, sql`delete from webhook_deliveries where id = ${id} and claim = ${claim}`);
}

/** False if the claim had expired. */
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
  /** Null if there is no further attempt. */
  dueAt: Date | null;
};

/** The time since which the endpoint fails; null if the claim had expired. */
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

/** Makes an interrupted delivery due again at once. It does not count as an attempt. */
export async function updateReleased(tx: Work, { id, claim }: Claimed): Promise<void> {
  await many(
    tx,
    sql`update webhook_deliveries
      set claim = null, claimed_until = null, attempts = attempts - 1
      where id = ${id} and claim = ${claim}`,
  );
}

/** Deletes deliveries from before a time; returns the number of rows. */
export const removeOldDeliveries = async (
  tx: Work,
  { before, limit }: { before: Date; limit: number },
): Promise<number> => {
  const removed = await many(
    tx,
    sql<{ id: string }>`delete from webhook_deliveries where id in (
        select id from webhook_deliveries where created_at < ${before} limit ${limit})
      returning id`,
  );
  return removed.length;
};
