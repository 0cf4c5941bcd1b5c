import { forbidden } from '../../base/errors.ts';
import { changed, type Read } from '../../doors/door.ts';
import { type Check, type Plan, planOf } from '../../doors/plan.ts';
import { endsAfterRotation } from '../credentials/lifetime.ts';
import type { Rotated } from '../credentials/new-credential.ts';
import { refuseBeyondCaller } from './key-limits.ts';
import { newSecretKey } from './new-secret-key.ts';
import {
  insertSecretKey,
  loadSecretKey,
  lockSecretKey,
  type SecretKeyRow,
  updateSecretKey,
} from './rows.ts';

/**
 * Replaces a key without an outage: both keys work until the overlap ends. The new key gets the old
 * key's or the caller's authority, whichever is lower.
 */
export async function rotateSecretKey(
  tx: Check,
  { id, overlapHours }: { id: string; overlapHours: number },
): Promise<Plan<Rotated<SecretKeyRow>>> {
  const old = await lockSecretKey(tx, id);
  refuseBeyondCaller(tx.reach, old);
  const ends = endsAfterRotation(old, { now: tx.now, overlapHours });
  await refuseOutliving(tx, ends.successor);
  const { env, name, meta, permissions, projectIds, networks } = old;
  const foreseen = {
    action: 'secret_key.rotated',
    target: id,
    affected: { kind: 'secret_key', id, env, isChanged: true },
    meta: { stored: meta, replacedBytes: 0 },
  } as const;
  return planOf(foreseen, async (write) => {
    const { values, secret } = newSecretKey(write, {
      env,
      name,
      meta,
      expiresAt: ends.successor,
      authority: tx.reach.authority === 'owner' ? old.authority : 'admin',
      permissions,
      projectIds,
      networks,
      rotatedFrom: id,
    });
    const row = await insertSecretKey(write, values);
    const predecessor = await updateSecretKey(write, old, { expiresAt: ends.predecessor });
    const payload = { env, successor_id: row.id, overlap_hours: overlapHours };
    return changed(
      { row, secret, predecessor },
      { action: 'secret_key.rotated', target: id, payload },
      { endsSecretKeys: [id] },
    );
  });
}

/**
 * The caller receives the new key's secret. Without this check, a secret key could obtain a
 * credential that outlives it, by rotating a longer-lived key. The check uses the expiry set by the
 * vendor, not by a rotation, because during its overlap, a key can still do everything it could do
 * before.
 */
async function refuseOutliving(tx: Read, successorEnd: Date | null): Promise<void> {
  const { type, id } = tx.reach.actor;
  if (type !== 'secret_key' || id === null) return;
  const { vendorExpiresAt } = await loadSecretKey(tx, id);
  if (vendorExpiresAt === null) return;
  if (successorEnd === null || successorEnd > vendorExpiresAt) {
    throw forbidden('A secret key cannot rotate a key that expires later than it does.');
  }
}
