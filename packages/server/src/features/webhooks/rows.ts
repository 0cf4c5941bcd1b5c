// Statements of requests on webhook endpoints and their deliveries. Deleted endpoints are kept for
// their deliveries; these statements do not return them.
import { TEST_EVENT } from '@keyrail/protocol/wire/event-types.ts';
import type { Insertable, Selectable, Updateable } from 'kysely';
import { build, many, maybe, one } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Read, Write } from '../../doors/door.ts';
import { miss } from '../../doors/miss.ts';

type Columns = Tables['webhookEndpoints'];

export type EndpointRow = Selectable<Columns>;
export type DeliveryRow = Selectable<Tables['webhookDeliveries']>;

type Position = { createdAt: Date; id: string };

const living = build.selectFrom('webhookEndpoints').selectAll().where('deletedAt', 'is', null);

export async function loadEndpoint(tx: Read, id: string): Promise<EndpointRow> {
  const row = await maybe(tx, living.where('id', '=', id));
  return row ?? miss(tx, 'webhook endpoint', id);
}

/** Loads and locks the row: no other transaction can change the endpoint until this one ends. */
export async function lockEndpoint(tx: Write, id: string): Promise<EndpointRow> {
  const row = await maybe(tx, living.where('id', '=', id).forNoKeyUpdate());
  return row ?? miss(tx, 'webhook endpoint', id);
}

/** Newest first, starting after the position. */
export function listEndpoints(
  tx: Read,
  { after, limit }: { after: Position | null; limit: number },
): Promise<EndpointRow[]> {
  let page = living.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(limit);
  if (after) {
    page = page.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('createdAt', 'id'), '<', tuple(after.createdAt, after.id)),
    );
  }
  return many(tx, page);
}

export const insertEndpoint = (tx: Write, values: Insertable<Columns>): Promise<EndpointRow> =>
  one(tx, build.insertInto('webhookEndpoints').values(values).returningAll());

/** Updates a locked row and returns the new row. */
export const updateEndpointRow = (
  tx: Write,
  id: string,
  values: Updateable<Columns>,
): Promise<EndpointRow> =>
  one(tx, build.updateTable('webhookEndpoints').set(values).where('id', '=', id).returningAll());

type DeliveryList = {
  endpointId: string;
  state?: DeliveryRow['state'] | undefined;
  after: Position | null;
  limit: number;
};

/** Newest first, starting after the position. */
export function listDeliveries(
  tx: Read,
  { endpointId, state, after, limit }: DeliveryList,
): Promise<DeliveryRow[]> {
  let page = build
    .selectFrom('webhookDeliveries')
    .selectAll()
    .where('endpointId', '=', endpointId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (state !== undefined) page = page.where('state', '=', state);
  if (after) {
    page = page.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('createdAt', 'id'), '<', tuple(after.createdAt, after.id)),
    );
  }
  return many(tx, page);
}

const delivery = build.selectFrom('webhookDeliveries').selectAll();

export async function loadDelivery(tx: Read, id: string): Promise<DeliveryRow> {
  const row = await maybe(tx, delivery.where('id', '=', id));
  return row ?? miss(tx, 'webhook delivery', id);
}

export async function lockDelivery(tx: Write, id: string): Promise<DeliveryRow> {
  const row = await maybe(tx, delivery.where('id', '=', id).forNoKeyUpdate());
  return row ?? miss(tx, 'webhook delivery', id);
}

export const insertDelivery = (
  tx: Write,
  values: Insertable<Tables['webhookDeliveries']>,
): Promise<DeliveryRow> =>
  one(tx, build.insertInto('webhookDeliveries').values(values).returningAll());

/** Whether a test of the endpoint is claimed. A claim expires if its process ends. */
export async function isTesting(tx: Write, endpointId: string): Promise<boolean> {
  const claimed = build
    .selectFrom('webhookDeliveries')
    .select('id')
    .where('endpointId', '=', endpointId)
    .where('state', '=', 'pending')
    .where('type', '=', TEST_EVENT)
    .where('claimedUntil', '>', tx.now);
  return (await maybe(tx, claimed.limit(1))) !== null;
}

/** Makes a delivery due now. Its attempts are counted from the start again. */
export const updateDueNow = (tx: Write, id: string): Promise<DeliveryRow> =>
  one(
    tx,
    build
      .updateTable('webhookDeliveries')
      .set({
        state: 'pending',
        attempts: 0,
        dueAt: tx.now,
        claim: null,
        claimedUntil: null,
        deliveredAt: null,
      })
      .where('id', '=', id)
      .returningAll(),
  );
