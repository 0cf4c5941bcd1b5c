import { assert } from '../../base/assert.ts';
import { type Change, changed, type Write } from '../../doors/door.ts';
import type { Role } from '../../doors/reach.ts';
import { type MintedSecretKey, mintSecretKey, type WantedSecretKey } from './material.ts';

/** The new key carries the authority of whoever makes it, never more. */
export async function createSecretKey(
  tx: Write,
  wanted: Omit<WantedSecretKey, 'authority'>,
): Promise<Change<MintedSecretKey>> {
  const authority = mintingAuthority(tx.reach.authority);
  const minted = await mintSecretKey(tx, { ...wanted, authority });
  return changed(minted, {
    action: 'secret_key.created',
    target: minted.row.id,
    payload: { env: minted.row.env, display_prefix: minted.row.displayPrefix },
  });
}

function mintingAuthority(role: Role): 'owner' | 'admin' {
  assert(role !== 'member', 'a member minted a secret key');
  return role;
}
