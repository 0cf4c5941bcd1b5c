import { assert } from '../../base/assert.ts';
import { invalid } from '../../base/errors.ts';
import { type Change, changed, type Write } from '../../doors/door.ts';
import type { Role } from '../../doors/reach.ts';
import type { Minted } from '../credentials/new-credential.ts';
import { refuseBeyondCaller } from './key-limits.ts';
import { newSecretKey, type WantedSecretKey } from './new-secret-key.ts';
import { insertSecretKey, loadSecretKey, requireProjects, type SecretKeyRow } from './rows.ts';

/**
 * The new key gets no more authority than its creator has. If its creator is a secret key, the new
 * key must expire no later than that key. Otherwise, a key could get around its own expiry by
 * creating another key.
 */
export async function createSecretKey(
  tx: Write,
  wanted: Omit<WantedSecretKey, 'authority'>,
): Promise<Change<Minted<SecretKeyRow>>> {
  const authority = creatorAuthority(tx.reach.authority);
  await requireProjects(tx, wanted.projectIds);
  refuseBeyondCaller(tx.reach, wanted);
  const expiresAt = expiryWithin(await creatorExpiry(tx), wanted.expiresAt);
  const { values, secret } = newSecretKey(tx, { ...wanted, expiresAt, authority });
  const row = await insertSecretKey(tx, values);
  return changed(
    { row, secret },
    {
      action: 'secret_key.created',
      target: row.id,
      payload: { env: row.env, display_prefix: row.displayPrefix },
    },
  );
}

/** Returns the calling secret key's expiry; null if it never expires or if the caller is a user. */
async function creatorExpiry(tx: Write): Promise<Date | null> {
  const { type, id } = tx.reach.actor;
  if (type !== 'secret_key' || id === null) return null;
  return (await loadSecretKey(tx, id)).expiresAt;
}

function expiryWithin(creatorExpiry: Date | null, wanted: Date | null): Date | null {
  if (creatorExpiry === null) return wanted;
  if (wanted !== null && wanted > creatorExpiry) {
    const message = "Must not be later than the calling secret key's own expires_at.";
    throw invalid('body', [{ path: 'expires_at', message }]);
  }
  return wanted ?? creatorExpiry;
}

function creatorAuthority(role: Role): 'owner' | 'admin' {
  assert(role !== 'member', 'a member created a secret key');
  return role;
}
