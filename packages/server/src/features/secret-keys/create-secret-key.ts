import { assert } from '../../base/assert.ts';
import { type Change, changed, type Write } from '../../doors/door.ts';
import type { Role } from '../../doors/reach.ts';
import { type MintedSecretKey, newSecretKey, type WantedSecretKey } from './material.ts';
import { insertSecretKey } from './rows.ts';

/** The new key carries the authority of whoever makes it, never more. */
export async function createSecretKey(
  tx: Write,
  wanted: Omit<WantedSecretKey, 'authority'>,
): Promise<Change<MintedSecretKey>> {
  const authority = mintingAuthority(tx.reach.authority);
  const { values, secret } = newSecretKey(tx, { ...wanted, authority });
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

function mintingAuthority(role: Role): 'owner' | 'admin' {
  assert(role !== 'member', 'a member minted a secret key');
  return role;
}
