import { type Change, changed, unchanged, type Write } from '../../doors/door.ts';
import { leakMail } from '../credentials/leak-notice.ts';
import { quarantineColumns } from '../credentials/lifetime.ts';
import { queueOwnerMail } from '../members/queue-owner-mail.ts';
import { type KeyRow, lockKey, updateKeyRow } from './rows.ts';

/**
 * Marks a key as leaked, brings its expiry forward and notifies the owners. Only the first report
 * counts; later reports change nothing. A revoked key is harmless and is left unchanged.
 */
export async function quarantineKey(
  tx: Write,
  { id, reason, foundAt }: { id: string; reason: string; foundAt: string | null },
): Promise<Change<KeyRow>> {
  const key = await lockKey(tx, id);
  if (key.revokedAt || key.quarantinedAt) return unchanged(key);
  const quarantined = await updateKeyRow(tx, key, quarantineColumns(key, tx.now, reason));
  const { now } = tx;
  await queueOwnerMail(tx, (workspace) => leakMail(quarantined, { workspace, foundAt, now }));
  return changed(
    quarantined,
    { action: 'api_key.quarantined', target: id, payload: { env: key.env, reason } },
    { policy: [key.projectId] },
  );
}
