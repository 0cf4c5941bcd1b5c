import { changed } from '../../doors/door.ts';
import { type Check, type Plan, planOf } from '../../doors/plan.ts';
import { endsAfterRotation } from '../credentials/lifetime.ts';
import type { Rotated } from '../credentials/new-credential.ts';
import { affectedKey } from './affected-key.ts';
import { newKey } from './new-key.ts';
import { insertKey, type KeyRow, lockKey, updateKeyRow } from './rows.ts';

/**
 * Replaces a key without an outage: both keys work until the overlap ends. The project and the
 * tenant don't have to be locked: deleting either of them first revokes this key, so both exist as
 * long as this key is locked and unrevoked. A deletion that waits for the key's lock then also
 * finds and revokes the new key.
 */
export async function rotateKey(
  tx: Check,
  { id, overlapHours }: { id: string; overlapHours: number },
): Promise<Plan<Rotated<KeyRow>>> {
  const old = await lockKey(tx, id);
  const ends = endsAfterRotation(old, { now: tx.now, overlapHours });
  const { projectId, tenantId, env, name, scopes, meta, rateLimits } = old;
  const foreseen = {
    action: 'api_key.rotated',
    target: id,
    affected: affectedKey(old, true),
    meta: { stored: meta, replacedBytes: 0 },
  } as const;
  return planOf(foreseen, async (write) => {
    const { values, secret } = newKey(write, {
      projectId,
      tenantId,
      env,
      name,
      scopes,
      meta,
      rateLimits,
      expiresAt: ends.successor,
      rotatedFrom: id,
    });
    const row = await insertKey(write, values);
    const predecessor = await updateKeyRow(write, old, { expiresAt: ends.predecessor });
    const payload = { env, successor_id: row.id, overlap_hours: overlapHours };
    return changed(
      { row, secret, predecessor },
      { action: 'api_key.rotated', target: id, payload },
      { policy: [projectId] },
    );
  });
}
