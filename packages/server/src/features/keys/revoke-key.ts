import { type Change, changed, unchanged, type Write } from '../../doors/door.ts';
import { type KeyRow, lockKey, updateKeyRow } from './rows.ts';

/** Ends a key for good, in any state. Revoking it again changes nothing. */
export async function revokeKey(
  tx: Write,
  { id, reason }: { id: string; reason: string | null },
): Promise<Change<KeyRow>> {
  const key = await lockKey(tx, id);
  if (key.revokedAt) return unchanged(key);
  const revoked = await updateKeyRow(tx, key, { revokedAt: tx.now, revokedReason: reason });
  return changed(
    revoked,
    { action: 'api_key.revoked', target: id, payload: { env: key.env, reason } },
    { policy: [key.projectId] },
  );
}
