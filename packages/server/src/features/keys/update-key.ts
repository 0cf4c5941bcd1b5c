import { conflict } from '../../base/errors.ts';
import { changed, unchanged } from '../../doors/door.ts';
import { effectOf, type Patch } from '../../doors/patch.ts';
import { type Check, type Plan, planOf } from '../../doors/plan.ts';
import { refuseProlonging } from '../credentials/lifetime.ts';
import { affectedKey } from './affected-key.ts';
import { type KeyRow, lockKey, updateKeyRow } from './rows.ts';

type KeyPatch = Patch<Pick<KeyRow, 'name' | 'scopes' | 'meta' | 'rateLimits' | 'expiresAt'>>;

/**
 * Writes only the fields that differ. A changed expiry becomes the vendor's expiry, which a new key
 * inherits when the key is rotated. Sending the current expiry changes nothing.
 */
export async function updateKey(
  tx: Check,
  { id, patch }: { id: string; patch: KeyPatch },
): Promise<Plan<KeyRow>> {
  const key = await lockKey(tx, id);
  if (key.revokedAt) throw conflict('A revoked key cannot be changed.');
  const { values, names, payload } = effectOf(key, patch);
  const { expiresAt, meta, scopes } = values;
  if (expiresAt !== undefined) refuseProlonging(key, expiresAt);
  const foreseen = {
    action: 'api_key.updated',
    target: id,
    affected: affectedKey(key, names.length > 0),
    values,
    ...(scopes && { scopesRemoved: key.scopes.filter((scope) => !scopes.includes(scope)) }),
    ...(meta && { meta: { stored: meta, replacedBytes: key.metaBytes } }),
  } as const;
  return planOf(foreseen, async (write) => {
    if (names.length === 0) return unchanged(key);
    const updated = await updateKeyRow(write, key, {
      ...values,
      ...(expiresAt !== undefined && { vendorExpiresAt: expiresAt }),
    });
    return changed(
      updated,
      { action: 'api_key.updated', target: id, payload: { env: key.env, ...payload } },
      { policy: [key.projectId] },
    );
  });
}
