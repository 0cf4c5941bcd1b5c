import { conflict } from '../../base/errors.ts';
import { type Change, changed, unchanged, type Write } from '../../doors/door.ts';
import { effectOf, type Patch } from '../../doors/patch.ts';
import { refuseProlonging } from '../credentials/lifetime.ts';
import { type KeyRow, lockKey, updateKeyRow } from './rows.ts';

type KeyPatch = Patch<Pick<KeyRow, 'name' | 'scopes' | 'meta' | 'rateLimits' | 'expiresAt'>>;

/**
 * Writes the fields that differ; a patch without effect writes nothing. A changed expiry becomes
 * the vendor's expiry, which a successor inherits. Sending back the current expiry changes nothing.
 */
export async function updateKey(
  tx: Write,
  { id, patch }: { id: string; patch: KeyPatch },
): Promise<Change<KeyRow>> {
  const key = await lockKey(tx, id);
  if (key.revokedAt) throw conflict('A revoked key cannot be changed.');
  const { values, names, payload } = effectOf(key, patch);
  if (names.length === 0) return unchanged(key);
  const { expiresAt } = values;
  if (expiresAt !== undefined) refuseProlonging(key, expiresAt);
  const updated = await updateKeyRow(tx, key, {
    ...values,
    ...(expiresAt !== undefined && { vendorExpiresAt: expiresAt }),
  });
  return changed(
    updated,
    { action: 'api_key.updated', target: id, payload: { env: key.env, ...payload } },
    { policy: [key.projectId] },
  );
}
