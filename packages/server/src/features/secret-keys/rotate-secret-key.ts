import { forbidden } from '../../base/errors.ts';
import { type Change, changed, type Write } from '../../doors/door.ts';
import { endsAfterRotation } from '../keys/lifetime.ts';
import { type MintedSecretKey, newSecretKey } from './material.ts';
import {
  insertSecretKey,
  loadSecretKey,
  lockSecretKey,
  type SecretKeyRow,
  updateSecretKey,
} from './rows.ts';

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
  await refuseOutliving(tx, ends.successor);
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

/**
 * The successor is shown to the secret key that rotates: by rotating a key that lives longer, a
 * short-lived one would get a credential for the time after its own end. What counts is the end
 * that the vendor set, since a key in its overlap goes on working without restriction.
 */
async function refuseOutliving(tx: Write, successorEnd: Date | null): Promise<void> {
  const { type, id } = tx.reach.actor;
  if (type !== 'secret_key' || id === null) return;
  const { vendorExpiresAt } = await loadSecretKey(tx, id);
  if (vendorExpiresAt === null) return;
  if (successorEnd === null || successorEnd > vendorExpiresAt) {
    throw forbidden('A secret key cannot rotate one that lives longer than itself.');
  }
}
