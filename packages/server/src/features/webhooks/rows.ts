// All SQL statements that requests use for webhook endpoints and their deliveries. Deleted
// endpoints are kept because their deliveries refer to them, but these statements don't return
// them.
import { TEST_EVENT } from '@keyrail/protocol/wire/event-types.ts';
import { changesOf, type Sql, sql, valuesOf } from '../../base/sql.ts';
import { many, maybe, one } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Read, Write } from '../../doors/door.ts';
import { miss } from '../../doors/miss.ts';

export type EndpointRow = Tables['webhookEndpoints'];
export type DeliveryRow = Tables['webhookDeliveries'];

type Position = { createdAt: Date; id: string };

const endpoint = (id: string): Sql<EndpointRow> =>
  sql`select * from webhook_endpoints where deleted_at is null and id = ${id}`;

export async function loadEndpoint(tx: Read, id: string): Promise<EndpointRow> {
  const row = await maybe(tx, endpoint(id));
  return row ?? miss(tx, 'webhook endpoint', id);
}

/**
 * Loads and locks the row, so that no other transaction can change the endpoint until this one
 * ends.
 */
export async function lockEndpoint(tx: Write, id: string): Promise<EndpointRow> {
  const row = await maybe(tx, sql<EndpointRow>`${endpoint(id)} for no key update`);
  return row ?? miss(tx, 'webhook endpoint', id);
}

/** Lists endpoints, newest first, starting after the given position. */
export const listEndpoints = (
  tx: Read,
  { after, limit }: { after: Position | null; limit: number },
): Promise<EndpointRow[]> =>
  many(
    tx,
    sql<EndpointRow>`select * from webhook_endpoints where deleted_at is null ${olderThan(after)}
      order by created_at desc, id desc limit ${limit}`,
  );

const olderThan = (after: Position | null): Sql =>
  after ? sql`and (created_at, id) < (${after.createdAt}, ${after.id})` : sql``;

type NewEndpoint = Pick<
  EndpointRow,
  'id' | 'env' | 'url' | 'events' | 'description' | 'sealedSecret' | 'createdAt' | 'updatedAt'
>;

export const insertEndpoint = (tx: Write, values: NewEndpoint): Promise<EndpointRow> =>
  one(tx, sql<EndpointRow>`insert into webhook_endpoints ${valuesOf(values)} returning *`);

/** Updates a locked row and returns the new row. */
export const updateEndpointRow = (
  tx: Write,
  id: string,
  values: Partial<Omit<EndpointRow, 'id' | 'workspaceId' | 'createdAt'>>,
): Promise<EndpointRow> =>
  one(
    tx,
    sql<EndpointRow>`update webhook_endpoints set ${changesOf(values)} where id = ${id} returning *`,
  );

type DeliveryList = {
  endpointId: string;
  state?: DeliveryRow['state'] | undefined;
  after: Position | null;
  limit: number;
};

/** Lists deliveries, newest first, starting after the given position. */
export const listDeliveries = (
  tx: Read,
  { endpointId, state, after, limit }: DeliveryList,
): Promise<DeliveryRow[]> =>
  many(
    tx,
    sql<DeliveryRow>`select * from webhook_deliveries where endpoint_id = ${endpointId}
        ${state === undefined ? sql`` : sql`and state = ${state}`} ${olderThan(after)}
      order by created_at desc, id desc limit ${limit}`,
  );

const delivery = (id: string): Sql<DeliveryRow> =>
  sql`select * from webhook_deliveries where id = ${id}`;

export async function loadDelivery(tx: Read, id: string): Promise<DeliveryRow> {
  const row = await maybe(tx, delivery(id));
  return row ?? miss(tx, 'webhook delivery', id);
}

export async function lockDelivery(tx: Write, id: string): Promise<DeliveryRow> {
  const row = await maybe(tx, sql<DeliveryRow>`${delivery(id)} for no key update`);
  return row ?? miss(tx, 'webhook delivery', id);
}

type NewDelivery = Pick<
  DeliveryRow,
  | ('id' | 'endpointId' | 'env' | 'type' | 'notice' | 'state' | 'attempts' | 'dueAt' | 'createdAt')
  | ('claim' | 'claimedUntil')
>;

export const insertDelivery = (
  tx: Write,
  { notice, ...values }: NewDelivery,
): Promise<DeliveryRow> =>
  one(
    tx,
    sql<DeliveryRow>`insert into webhook_deliveries
      ${valuesOf({ ...values, notice: JSON.stringify(notice) })} returning *`,
  );

/**
 * Whether a test of the endpoint is claimed. If the process sending it stops, the claim expires.
 */
export async function isTesting(tx: Write, endpointId: string): Promise<boolean> {
  const claimed = await maybe(
    tx,
    sql`select id from webhook_deliveries
      where endpoint_id = ${endpointId} and state = 'pending' and type = ${TEST_EVENT}
        and claimed_until > ${tx.now} limit 1`,
  );
  return claimed !== null;
}

/** Makes a delivery due now and resets its number of attempts. */
export const updateDueNow = (tx: Write, id: string): Promise<DeliveryRow> =>
  one(
    tx,
    sql<DeliveryRow>`update webhook_deliveries set state = 'pending', attempts = 0,
        due_at = ${tx.now}, claim = null, claimed_until = null, delivered_at = null
      where id = ${id} returning *`,
  );
