import { type Change, changed, unchanged, type Write } from '../../doors/door.ts';
import { endAfterQuarantine } from '../keys/lifetime.ts';
import { queueLeakNotice } from '../keys/queue-leak-notice.ts';
import { lockSecretKey, type SecretKeyRow, updateSecretKey } from './rows.ts';

/**
 * Marks a key as leaked, pulls its end in and tells the owners. Only the first report counts, so
 * that repeating it moves nothing; a revoked key is past harm and stays as it is.
 */
export async function quarantineSecretKey(
  tx: Write,
  { id, reason, foundAt }: { id: string; reason: string; foundAt: string | null },
): Promise<Change<SecretKeyRow>> {
  const key = await lockSecretKey(tx, id);
  if (key.revokedAt || key.quarantinedAt) return unchanged(key, [id]);
  const quarantined = await updateSecretKey(tx, key, {
    expiresAt: endAfterQuarantine(key, tx.now),
    quarantinedAt: tx.now,
    quarantineReason: reason,
  });
  await queueLeakNotice(tx, quarantined, foundAt);
  return changed(quarantined, {
    action: 'secret_key.quarantined',
    target: id,
    payload: { env: key.env, reason },
  });
}
