import { type Change, changed, unchanged, type Write } from '../../doors/door.ts';
import { lockSecretKey, type SecretKeyRow, updateSecretKey } from './rows.ts';

/** Revokes a key in any state, for good. Idempotent. */
export async function revokeSecretKey(
  tx: Write,
  { id, reason }: { id: string; reason: string | null },
): Promise<Change<SecretKeyRow>> {
  const key = await lockSecretKey(tx, id);
  if (key.revokedAt) return unchanged(key, { endsSecretKeys: [id] });
  const revoked = await updateSecretKey(tx, key, { revokedAt: tx.now, revokedReason: reason });
  return changed(
    revoked,
    { action: 'secret_key.revoked', target: id, payload: { env: key.env, reason } },
    { endsSecretKeys: [id] },
  );
}
