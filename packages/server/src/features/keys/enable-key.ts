import { conflict } from '../../base/errors.ts';
import { type Change, changed, unchanged, type Write } from '../../doors/door.ts';
import { type KeyRow, lockKey, updateKeyRow } from './rows.ts';

/**
 * Enables a disabled key and changes nothing else. An expired or quarantined key still doesn't
 * work.
 */
export async function enableKey(tx: Write, { id }: { id: string }): Promise<Change<KeyRow>> {
  const key = await lockKey(tx, id);
  if (key.revokedAt) throw conflict('A revoked key cannot be enabled.');
  if (!key.disabledAt) return unchanged(key);
  const enabled = await updateKeyRow(tx, key, { disabledAt: null, disabledReason: null });
  return changed(
    enabled,
    { action: 'api_key.enabled', target: id, payload: { env: key.env } },
    { policy: [key.projectId] },
  );
}
