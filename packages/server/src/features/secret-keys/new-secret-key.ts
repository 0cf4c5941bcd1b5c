// Creates a new secret key: its row, and the secret, which is shown only once.
import type { Secret } from '../../base/secret.ts';
import type { Reach } from '../../doors/reach.ts';
import { type Minting, newCredential } from '../credentials/new-credential.ts';
import type { NewSecretKeyRow, SecretKeyRow } from './rows.ts';

export type WantedSecretKey = Pick<
  SecretKeyRow,
  'env' | 'name' | 'meta' | 'expiresAt' | 'authority' | 'permissions' | 'projectIds' | 'networks'
> & { rotatedFrom?: string };

export function newSecretKey(
  tx: Minting & { reach: Pick<Reach, 'actor'> },
  wanted: WantedSecretKey,
): { values: NewSecretKeyRow; secret: Secret } {
  const { name, meta, authority, permissions, projectIds, networks } = wanted;
  const { columns, secret } = newCredential('secret_key', wanted, tx);
  const createdBy = tx.reach.actor.id;
  const limits = { permissions, projectIds, networks };
  return { values: { ...columns, name, meta, authority, createdBy, ...limits }, secret };
}
