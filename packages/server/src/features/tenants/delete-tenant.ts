import { type Change, changed, type Write } from '../../doors/door.ts';
import { revokeKeysUnder } from '../keys/cascade.rows.ts';
import { loadTenant, lockTenant, updateTenantRow } from './rows.ts';

export type DeletedTenant = { id: string; revokedKeys: number };

/**
 * Deletes a tenant and revokes its keys in all projects, atomically for readers. The external id
 * becomes free. `meta` is emptied to free its storage, since it can no longer be read.
 */
export async function deleteTenant(
  tx: Write,
  { id }: { id: string },
): Promise<Change<DeletedTenant>> {
  await loadTenant(tx, id);
  const revoked = await revokeKeysUnder(
    tx,
    { tenantId: id },
    { reason: 'tenant deleted', lockParent: () => lockTenant(tx, id) },
  );
  await updateTenantRow(tx, id, { deletedAt: tx.now, meta: {} });
  return changed(
    { id, revokedKeys: revoked.count },
    { action: 'tenant.deleted', target: id, payload: { revoked_keys: revoked.count } },
    { policy: revoked.projectIds },
  );
}
