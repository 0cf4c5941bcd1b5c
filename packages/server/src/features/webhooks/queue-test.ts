import { TEST_EVENT } from '@keyrail/protocol/wire/event-types.ts';
import { msAfter } from '../../base/duration.ts';
import { conflict } from '../../base/errors.ts';
import { type Change, changed, type Write } from '../../doors/door.ts';
import { CLAIM_MS } from './attempt-schedule.ts';
import { type DeliveryRow, insertDelivery, lockEndpoint } from './rows.ts';

export const DISABLED = 'The endpoint is disabled.';

/**
 * Queues an event that says nothing but that it is a test. It is claimed under its own id for the
 * process that queues it, so that no worker sends it first.
 */
export async function queueTest(tx: Write, endpointId: string): Promise<Change<DeliveryRow>> {
  const { disabledAt, env } = await lockEndpoint(tx, endpointId);
  if (disabledAt !== null) throw conflict(DISABLED);
  const id = tx.newId();
  const delivery = await insertDelivery(tx, {
    id,
    endpointId,
    env,
    type: TEST_EVENT,
    notice: JSON.stringify({ object: 'webhook_test', endpoint_id: endpointId }),
    state: 'pending',
    attempts: 0,
    dueAt: tx.now,
    claim: id,
    claimedUntil: msAfter(tx.now, CLAIM_MS),
    createdAt: tx.now,
  });
  return changed(delivery, {
    action: 'webhook_endpoint.tested',
    target: endpointId,
    payload: { delivery_id: delivery.id },
  });
}
