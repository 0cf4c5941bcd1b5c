import { type Change, changed, type Write } from '../../doors/door.ts';
import { insertTenant, type TenantRow } from './rows.ts';

const FIRST_EPOCH = 1;

/** Creates a tenant, identified by the vendor's own ID for that customer. */
export async function createTenant(
  tx: Write,
  wanted: Pick<TenantRow, 'externalId' | 'name' | 'meta'>,
): Promise<Change<TenantRow>> {
  const tenant = await insertTenant(tx, {
    ...wanted,
    id: tx.newId(),
    embedEpoch: FIRST_EPOCH,
    createdAt: tx.now,
    updatedAt: tx.now,
  });
  return changed(tenant, {
    action: 'tenant.created',
    target: tenant.id,
    payload: { external_id: tenant.externalId },
  });
}
