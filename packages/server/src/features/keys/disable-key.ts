import { conflict } from '../../base/errors.ts';
import { changed, unchanged } from '../../doors/door.ts';
import { type Check, type Plan, planOf } from '../../doors/plan.ts';
import { affectedKey } from './affected-key.ts';
import { type KeyRow, lockKey, updateKeyRow } from './rows.ts';

/**
 * Disables a key until it is enabled again. Disabling it again changes nothing, not even the
 * reason.
 */
export async function disableKey(
  tx: Check,
  { id, reason }: { id: string; reason: string | null },
): Promise<Plan<KeyRow>> {
  const key = await lockKey(tx, id);
  if (key.revokedAt) throw conflict('A revoked key cannot be disabled.');
  const isChanged = key.disabledAt === null;
  const affected = affectedKey(key, isChanged);
  return planOf({ action: 'api_key.disabled', target: id, affected }, async (write) => {
    if (!isChanged) return unchanged(key);
    const disabled = await updateKeyRow(write, key, { disabledAt: tx.now, disabledReason: reason });
    return changed(
      disabled,
      { action: 'api_key.disabled', target: id, payload: { env: key.env, reason } },
      { policy: [key.projectId] },
    );
  });
}
