import { later } from '../../base/duration.ts';
import { type Change, changed, unchanged, type Write } from '../../doors/door.ts';
import { effectOf, type Patch } from '../../doors/patch.ts';
import { lockTenant, type TenantRow, updateTenantRow } from './rows.ts';

type TenantPatch = Patch<Pick<TenantRow, 'name' | 'meta'>>;

/** Updates only the fields that differ. `meta` is replaced as a whole. */
export async function updateTenant(
  tx: Write,
  { id, patch }: { id: string; patch: TenantPatch },
): Promise<Change<TenantRow>> {
  const current = await lockTenant(tx, id);
  const { values, names, payload } = effectOf(current, patch);
  if (names.length === 0) return unchanged(current);
  const updatedAt = later(current.updatedAt, tx.now);
  const updated = await updateTenantRow(tx, id, { ...values, updatedAt });
  return changed(updated, { action: 'tenant.updated', target: id, payload });
}
