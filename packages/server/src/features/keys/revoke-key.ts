import { changed, unchanged } from '../../doors/door.ts';
import { type Check, type Plan, planOf } from '../../doors/plan.ts';
import { affectedKey } from './affected-key.ts';
import { type KeyRow, lockKey, updateKeyRow } from './rows.ts';

/** Revokes a key permanently, in any state. Revoking it again changes nothing. */
export async function revokeKey(
  tx: Check,
  { id, reason }: { id: string; reason: string | null },
): Promise<Plan<KeyRow>> {
  const key = await lockKey(tx, id);
  const isChanged = key.revokedAt === null;
  const affected = affectedKey(key, isChanged);
  return planOf({ action: 'api_key.revoked', target: id, affected }, async (write) => {
    if (!isChanged) return unchanged(key);
    const revoked = await updateKeyRow(write, key, { revokedAt: tx.now, revokedReason: reason });
    return changed(
      revoked,
      { action: 'api_key.revoked', target: id, payload: { env: key.env, reason } },
      { policy: [key.projectId] },
    );
  });
}
