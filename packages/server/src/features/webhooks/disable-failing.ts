import { type Change, changed, unchanged, type Write } from '../../doors/door.ts';
import { queueOwnerMail } from '../members/queue-owner-mail.ts';
import { hasFailedTooLong } from './attempt-schedule.ts';
import { lockEndpoint, updateEndpointRow } from './rows.ts';

const REASON = 'Every delivery has failed for five days.';

/**
 * Disables an endpoint whose deliveries have failed for too long, and notifies the workspace's
 * owners.
 */
export async function disableFailing(tx: Write, id: string): Promise<Change<null>> {
  const { url, disabledAt, failingSince } = await lockEndpoint(tx, id);
  if (disabledAt !== null || !hasFailedTooLong(failingSince, tx.now)) return unchanged(null);
  await updateEndpointRow(tx, id, { disabledAt: tx.now, disabledReason: REASON });
  const { host } = new URL(url);
  await queueOwnerMail(tx, (workspace) => ({
    kind: 'webhook_disabled',
    params: { workspace, host },
  }));
  return changed(null, {
    action: 'webhook_endpoint.disabled',
    target: id,
    payload: { reason: REASON },
  });
}
