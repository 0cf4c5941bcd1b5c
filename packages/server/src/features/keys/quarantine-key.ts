import { type Change, changed, unchanged, type Write } from '../../doors/door.ts';
import { endAfterQuarantine } from './lifetime.ts';
import { queueLeakNotice } from './queue-leak-notice.ts';
import { type KeyRow, lockKey, updateKeyRow } from './rows.ts';

/**
 * Marks a key as leaked, pulls its end in and tells the owners. Only the first report counts, so
 * that repeating it moves nothing; a revoked key is past harm and stays as it is.
 */
export async function quarantineKey(
  tx: Write,
  { id, reason, foundAt }: { id: string; reason: string; foundAt: string | null },
): Promise<Change<KeyRow>> {
  const key = await lockKey(tx, id);
  if (key.revokedAt || key.quarantinedAt) return unchanged(key);
  const quarantined = await updateKeyRow(tx, key, {
    expiresAt: endAfterQuarantine(key, tx.now),
    quarantinedAt: tx.now,
    quarantineReason: reason,
  });
  await queueLeakNotice(tx, quarantined, foundAt);
  return changed(
    quarantined,
    { action: 'api_key.quarantined', target: id, payload: { env: key.env, reason } },
    { policy: [key.projectId] },
  );
}
