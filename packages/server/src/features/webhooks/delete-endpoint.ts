import { type Change, changed, type Write } from '../../doors/door.ts';
import { lockEndpoint, updateEndpointRow } from './rows.ts';

/**
 * Deletes an endpoint. Nothing more is sent to it, and the worker deletes its remaining deliveries.
 */
export async function deleteEndpoint(tx: Write, id: string): Promise<Change<{ id: string }>> {
  const { url } = await lockEndpoint(tx, id);
  await updateEndpointRow(tx, id, { deletedAt: tx.now });
  const payload = { host: new URL(url).host };
  return changed({ id }, { action: 'webhook_endpoint.deleted', target: id, payload });
}
