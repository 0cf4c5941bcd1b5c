import { type Change, changed, unchanged, type Write } from '../../doors/door.ts';
import { endAfterQuarantine } from './lifetime.ts';
import { type KeyRow, lockKey, updateKeyRow } from './rows.ts';

/**
 * Marks a key as leaked and pulls its end in. Only the first report counts, so that repeating it
 * moves nothing; a revoked key is past harm and stays as it is.
 */
export async function quarantineKey(
  tx: Write,
  { id, reason }: { id: string; reason: string },
): Promise<Change<KeyRow>> {
  const key = await lockKey(tx, id);
  if (key.revokedAt || key.quarantinedAt) return unchanged(key);
  const quarantined = await updateKeyRow(tx, key, {
    expiresAt: endAfterQuarantine(key, tx.now),
    quarantinedAt: tx.now,
    quarantineReason: reason,
  });
  return changed(
    quarantined,
    { action: 'api_key.quarantined', target: id, payload: { env: key.env, reason } },
    { policy: [key.projectId] },
  );
}
