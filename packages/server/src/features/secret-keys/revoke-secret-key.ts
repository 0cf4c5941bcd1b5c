import { changed, unchanged } from '../../doors/door.ts';
import { type Check, type Plan, planOf } from '../../doors/plan.ts';
import { refuseBeyondCaller } from './key-limits.ts';
import { lockSecretKey, type SecretKeyRow, updateSecretKey } from './rows.ts';

/** Revokes a key permanently, in any state. Revoking it again changes nothing. */
export async function revokeSecretKey(
  tx: Check,
  { id, reason }: { id: string; reason: string | null },
): Promise<Plan<SecretKeyRow>> {
  const key = await lockSecretKey(tx, id);
  if (id !== tx.reach.actor.id) refuseBeyondCaller(tx.reach, key);
  const { env } = key;
  const isChanged = key.revokedAt === null;
  const affected = { kind: 'secret_key', id, env, isChanged } as const;
  return planOf({ action: 'secret_key.revoked', target: id, affected }, async (write) => {
    if (!isChanged) return unchanged(key, { endsSecretKeys: [id] });
    const revoked = await updateSecretKey(write, key, { revokedAt: tx.now, revokedReason: reason });
    return changed(
      revoked,
      { action: 'secret_key.revoked', target: id, payload: { env, reason } },
      { endsSecretKeys: [id] },
    );
  });
}
