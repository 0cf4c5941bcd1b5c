import { type Change, changed, type Write } from '../../doors/door.ts';
import { revokeKeysUnder } from '../keys/cascade.rows.ts';
import { loadTenant, lockTenant, updateTenantRow } from './rows.ts';

export type DeletedTenant = { id: string; revokedKeys: number };

/**
 * Ends a tenant and every key that it holds, in whichever project, in one step for whoever looks.
 * Its external id is free again, and so is what its `meta` took: nobody can read that any more.
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
