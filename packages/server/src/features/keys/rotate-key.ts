import { type Change, changed, type Write } from '../../doors/door.ts';
import { endsAfterRotation } from '../credentials/lifetime.ts';
import type { Rotated } from '../credentials/new-credential.ts';
import { newKey } from './new-key.ts';
import { insertKey, type KeyRow, lockKey, updateKeyRow } from './rows.ts';

/**
 * Replaces a key without an outage: both keys work until the overlap ends. Project and tenant need
 * no lock: a deletion revokes this key first, so they exist while it is locked and unrevoked. A
 * deletion that waits for this lock then finds and revokes the successor.
 */
export async function rotateKey(
  tx: Write,
  { id, overlapHours }: { id: string; overlapHours: number },
): Promise<Change<Rotated<KeyRow>>> {
  const old = await lockKey(tx, id);
  const ends = endsAfterRotation(old, { now: tx.now, overlapHours });
  const { projectId, env } = old;
  const { values, secret } = newKey(tx, {
    projectId,
    tenantId: old.tenantId,
    env,
    name: old.name,
    scopes: old.scopes,
    meta: old.meta,
    rateLimits: old.rateLimits,
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
