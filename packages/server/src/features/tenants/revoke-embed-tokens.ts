import { later } from '../../base/duration.ts';
import { type Change, changed, type Write } from '../../doors/door.ts';
import { lockTenant, type TenantRow, updateTenantRow } from './rows.ts';

/**
 * Revokes all of a tenant's embed tokens by starting a new epoch: a token is valid only in the
 * epoch in which it was issued.
 */
export async function revokeEmbedTokens(
  tx: Write,
  { id }: { id: string },
): Promise<Change<TenantRow>> {
  const current = await lockTenant(tx, id);
  const embedEpoch = current.embedEpoch + 1;
  const updatedAt = later(current.updatedAt, tx.now);
  const updated = await updateTenantRow(tx, id, { embedEpoch, updatedAt });
  return changed(updated, {
    action: 'tenant.embed_tokens_revoked',
    target: id,
    payload: { embed_epoch: embedEpoch },
  });
}
