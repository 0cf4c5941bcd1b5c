import { type Change, changed, type Write } from '../../doors/door.ts';
import { endsAfterRotation } from './lifetime.ts';
import { type MintedKey, newKey } from './material.ts';
import { insertKey, type KeyRow, lockKey, updateKeyRow } from './rows.ts';

export type RotatedKey = MintedKey & { predecessor: KeyRow };

/**
 * Replaces a key without an outage: both work until the overlap ends. Project and tenant need not
 * be held: deleting one of them revokes this key first, so while it is locked and unrevoked they
 * are alive, and the successor is found by the deletion that was waiting for the lock.
 */
export async function rotateKey(
  tx: Write,
  { id, overlapHours }: { id: string; overlapHours: number },
): Promise<Change<RotatedKey>> {
  const old = await lockKey(tx, id);
  const ends = endsAfterRotation(old, { now: tx.now, overlapHours });
  const { projectId, tenantId, env, name, scopes, meta, rateLimits } = old;
  const { values, secret } = newKey(tx, {
    ...{ projectId, tenantId, env, name, scopes, meta, rateLimits },
    expiresAt: ends.successor,
    rotatedFrom: id,
  });
  const row = await insertKey(tx, values);
  const predecessor = await updateKeyRow(tx, old, { expiresAt: ends.predecessor });
  return changed(
    { row, secret, predecessor },
    {
      action: 'api_key.rotated',
      target: id,
      payload: { env, successor_id: row.id, overlap_hours: overlapHours },
    },
    { policy: [projectId] },
  );
}
