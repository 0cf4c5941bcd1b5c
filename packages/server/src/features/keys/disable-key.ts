import { conflict } from '../../base/errors.ts';
import { type Change, changed, unchanged, type Write } from '../../doors/door.ts';
import { type KeyRow, lockKey, updateKeyRow } from './rows.ts';

/** Stops a key until it is enabled again. Disabling it twice changes nothing, nor its reason. */
export async function disableKey(
  tx: Write,
  { id, reason }: { id: string; reason: string | null },
): Promise<Change<KeyRow>> {
  const key = await lockKey(tx, id);
  if (key.revokedAt) throw conflict('A revoked key cannot be disabled.');
  if (key.disabledAt) return unchanged(key);
  const disabled = await updateKeyRow(tx, key, { disabledAt: tx.now, disabledReason: reason });
  return changed(
    disabled,
    { action: 'api_key.disabled', target: id, payload: { env: key.env, reason } },
    { policy: [key.projectId] },
  );
}
