import { conflict } from '../../base/errors.ts';
import { type Change, changed, type Write } from '../../doors/door.ts';
import { DISABLED } from './queue-test.ts';
import { type DeliveryRow, lockDelivery, lockEndpoint, updateDueNow } from './rows.ts';

/**
 * Makes a delivery due now. Its ID stays the same, and a request already in progress isn't
 * interrupted.
 */
export async function retryDelivery(tx: Write, id: string): Promise<Change<DeliveryRow>> {
  const { endpointId, type } = await lockDelivery(tx, id);
  const { disabledAt } = await lockEndpoint(tx, endpointId);
  if (disabledAt !== null) throw conflict(DISABLED);
  return changed(await updateDueNow(tx, id), {
    action: 'webhook_endpoint.redelivered',
    target: endpointId,
    payload: { delivery_id: id, type },
  });
}
