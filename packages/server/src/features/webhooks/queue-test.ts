import { TEST_EVENT } from '@keyrail/protocol/wire/event-types.ts';
import { conflict } from '../../base/errors.ts';
import { type Change, changed, type Write } from '../../doors/door.ts';
import { type DeliveryRow, insertDelivery, lockEndpoint } from './rows.ts';

export const DISABLED = 'The endpoint is disabled.';

/** Queues an event that says nothing but that it is a test. */
export async function queueTest(tx: Write, endpointId: string): Promise<Change<DeliveryRow>> {
  const { disabledAt, env } = await lockEndpoint(tx, endpointId);
  if (disabledAt !== null) throw conflict(DISABLED);
  const delivery = await insertDelivery(tx, {
    id: tx.newId(),
    endpointId,
    env,
    type: TEST_EVENT,
    notice: JSON.stringify({ object: 'webhook_test', endpoint_id: endpointId }),
    state: 'pending',
    attempts: 0,
    dueAt: tx.now,
    createdAt: tx.now,
  });
  return changed(delivery, {
    action: 'webhook_endpoint.tested',
    target: endpointId,
    payload: { delivery_id: delivery.id },
  });
}
