import { earlier, hoursAfter } from '../../base/duration.ts';
import { conflict } from '../../base/errors.ts';
import { type Change, changed, type Write } from '../../doors/door.ts';
import { type MintedSecretKey, mintSecretKey } from './material.ts';
import { lockSecretKey, type SecretKeyRow, updateSecretKey } from './rows.ts';

export type RotatedSecretKey = MintedSecretKey & { predecessor: SecretKeyRow };

/**
 * Replaces a key without an outage: both work until the overlap ends. The successor inherits the
 * expiry that the vendor had set, never one that a rotation or a quarantine wrote, and the lower
 * authority of the old key and of whoever rotates it.
 */
export async function rotateSecretKey(
  tx: Write,
  { id, overlapHours }: { id: string; overlapHours: number },
): Promise<Change<RotatedSecretKey>> {
  const old = await lockSecretKey(tx, id);
  if (old.revokedAt) throw conflict('A revoked key cannot be rotated.');
  if (old.vendorExpiresAt && old.vendorExpiresAt <= tx.now) {
    throw conflict('An expired key cannot be rotated.');
  }

  const successor = await mintSecretKey(tx, {
    env: old.env,
    name: old.name,
    meta: old.meta,
    expiresAt: old.vendorExpiresAt,
    authority: tx.reach.authority === 'owner' ? old.authority : 'admin',
    rotatedFrom: old.id,
  });
  const predecessor = await updateSecretKey(tx, old, {
    expiresAt: earlier(old.expiresAt, hoursAfter(tx.now, overlapHours)),
  });

  return changed(
    { ...successor, predecessor },
    {
      action: 'secret_key.rotated',
      target: old.id,
      payload: { env: old.env, successor_id: successor.row.id, overlap_hours: overlapHours },
    },
  );
}
