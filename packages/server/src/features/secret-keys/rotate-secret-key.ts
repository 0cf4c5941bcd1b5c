import { type Change, changed, type Write } from '../../doors/door.ts';
import { endsAfterRotation } from '../keys/lifetime.ts';
import { type MintedSecretKey, newSecretKey } from './material.ts';
import { insertSecretKey, lockSecretKey, type SecretKeyRow, updateSecretKey } from './rows.ts';

export type RotatedSecretKey = MintedSecretKey & { predecessor: SecretKeyRow };

/**
 * Replaces a key without an outage: both work until the overlap ends. The successor inherits the
 * lower authority of the old key and of whoever rotates it.
 */
export async function rotateSecretKey(
  tx: Write,
  { id, overlapHours }: { id: string; overlapHours: number },
): Promise<Change<RotatedSecretKey>> {
  const old = await lockSecretKey(tx, id);
  const ends = endsAfterRotation(old, { now: tx.now, overlapHours });
  const { values, secret } = newSecretKey(tx, {
    env: old.env,
    name: old.name,
    meta: old.meta,
    expiresAt: ends.successor,
    authority: tx.reach.authority === 'owner' ? old.authority : 'admin',
    rotatedFrom: old.id,
  });
  const row = await insertSecretKey(tx, values);
  const predecessor = await updateSecretKey(tx, old, { expiresAt: ends.predecessor });

  return changed(
    { row, secret, predecessor },
    {
      action: 'secret_key.rotated',
      target: old.id,
      payload: { env: old.env, successor_id: row.id, overlap_hours: overlapHours },
    },
  );
}
