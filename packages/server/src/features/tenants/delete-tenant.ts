import { changed } from '../../doors/door.ts';
import { type Check, type Plan, planOf } from '../../doors/plan.ts';
import { revokeKeysUnder } from '../keys/cascade.rows.ts';
import { loadTenant, lockTenant, updateTenantRow } from './rows.ts';

export type DeletedTenant = { id: string; revokedKeys: number };

/**
 * Deletes a tenant and revokes its keys in all projects, in one transaction. The external ID can be
 * used again. `meta` is emptied to free its storage, because it can no longer be read.
 */
export async function deleteTenant(
  tx: Check,
  { id }: { id: string },
): Promise<Plan<DeletedTenant>> {
  const { externalId } = await loadTenant(tx, id);
  const affected = { kind: 'keys of a tenant', tenantId: id } as const;
  return planOf({ action: 'tenant.deleted', target: id, affected }, async (write) => {
    const revoked = await revokeKeysUnder(
      write,
      { tenantId: id },
      { reason: 'tenant deleted', lockParent: () => lockTenant(write, id) },
    );
    await updateTenantRow(write, id, { deletedAt: tx.now, meta: {} });
    return changed(
      { id, revokedKeys: revoked.count },
      {
        action: 'tenant.deleted',
        target: id,
        payload: { external_id: externalId, revoked_keys: revoked.count },
      },
      { policy: revoked.projectIds },
    );
  });
}
