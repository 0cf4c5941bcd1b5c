import { type Change, changed, unchanged, type Write } from '../../doors/door.ts';
import { mailOwners } from '../members/mail-owners.ts';
import { lockEndpoint, updateEndpointRow } from './rows.ts';

const REASON = 'Every delivery failed for five days.';

/** Disables an endpoint that no longer answers, and tells the owners of the workspace. */
export async function disableFailing(tx: Write, id: string): Promise<Change<null>> {
  const endpoint = await lockEndpoint(tx, id);
  if (endpoint.disabledAt !== null || endpoint.failingSince === null) return unchanged(null);
  await updateEndpointRow(tx, id, { disabledAt: tx.now, disabledReason: REASON });
  const { host } = new URL(endpoint.url);
  await mailOwners(tx, 'webhook_disabled', (workspace) => ({ workspace, host }));
  return changed(null, {
    action: 'webhook_endpoint.disabled',
    target: id,
    payload: { reason: REASON },
  });
}
