import { type Change, changed, unchanged, type Write } from '../../doors/door.ts';
import { leakMail } from '../credentials/leak-notice.ts';
import { quarantineColumns } from '../credentials/lifetime.ts';
import { queueOwnerMail } from '../members/queue-owner-mail.ts';
import { lockSecretKey, type SecretKeyRow, updateSecretKey } from './rows.ts';

/**
 * Marks a key as leaked, makes it expire soon and notifies the owners. Only the first report has
 * any effect. A revoked key is harmless, so it is left unchanged.
 */
export async function quarantineSecretKey(
  tx: Write,
  { id, reason, foundAt }: { id: string; reason: string; foundAt: string | null },
): Promise<Change<SecretKeyRow>> {
  const key = await lockSecretKey(tx, id);
  if (key.revokedAt || key.quarantinedAt) return unchanged(key, { endsSecretKeys: [id] });
  const quarantined = await updateSecretKey(tx, key, quarantineColumns(key, tx.now, reason));
  const { now } = tx;
  await queueOwnerMail(tx, (workspace) => leakMail(quarantined, { workspace, foundAt, now }));
  return changed(
    quarantined,
    { action: 'secret_key.quarantined', target: id, payload: { env: key.env, reason } },
    { endsSecretKeys: [id] },
  );
}
