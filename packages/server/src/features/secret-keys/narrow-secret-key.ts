import { conflict, forbidden } from '../../base/errors.ts';
import { changed, unchanged } from '../../doors/door.ts';
import { effectOf, type Patch } from '../../doors/patch.ts';
import { type Check, type Plan, planOf } from '../../doors/plan.ts';
import { type KeyLimits, refuseBeyondCaller, refuseWidening } from './key-limits.ts';
import { lockSecretKey, requireProjects, type SecretKeyRow, updateSecretKey } from './rows.ts';

type Narrowed = Pick<SecretKeyRow, 'name' | 'meta' | 'expiresAt'> & KeyLimits;

/** Renames a key or narrows it. Like a revocation, narrowing takes effect in every process. */
export async function narrowSecretKey(
  tx: Check,
  { id, patch }: { id: string; patch: Patch<Narrowed> },
): Promise<Plan<SecretKeyRow>> {
  const key = await lockSecretKey(tx, id);
  if (id !== tx.reach.actor.id) refuseBeyondCaller(tx.reach, key);
  if (key.revokedAt) throw conflict('A revoked key cannot be changed.');
  await requireProjects(tx, patch.projectIds ?? null);
  const { values, names, payload } = effectOf<Narrowed>(key, patch);
  const { env } = key;
  const { expiresAt, meta } = values;
  refuseWidening(key, { ...key, ...values });
  if (expiresAt !== undefined) refuseLater(key.expiresAt, expiresAt);
  const foreseen = {
    action: 'secret_key.updated',
    target: id,
    affected: { kind: 'secret_key', id, env, isChanged: names.length > 0 },
    ...(meta && { meta: { stored: meta, replacedBytes: key.metaBytes } }),
  } as const;
  return planOf(foreseen, async (write) => {
    if (names.length === 0) return unchanged(key, { endsSecretKeys: [id] });
    const updated = await updateSecretKey(write, key, {
      ...values,
      ...(expiresAt !== undefined && { vendorExpiresAt: expiresAt }),
    });
    return changed(
      updated,
      { action: 'secret_key.updated', target: id, payload: { env, ...payload } },
      { endsSecretKeys: [id] },
    );
  });
}

function refuseLater(current: Date | null, wanted: Date | null): void {
  if (current === null || (wanted !== null && wanted <= current)) return;
  throw forbidden('A secret key can only be narrowed: expires_at cannot be later than it is now.');
}
