// Creates a new secret key: its row, and the secret, which is shown only once.
import type { Secret } from '../../base/secret.ts';
import type { Reach } from '../../doors/reach.ts';
import { type Minting, newCredential } from '../credentials/new-credential.ts';
import type { NewSecretKeyRow, SecretKeyRow } from './rows.ts';

export type WantedSecretKey = Pick<
  SecretKeyRow,
  'env' | 'name' | 'meta' | 'expiresAt' | 'authority'
> & { rotatedFrom?: string };

export function newSecretKey(
  tx: Minting & { reach: Pick<Reach, 'actor'> },
  wanted: WantedSecretKey,
): { values: NewSecretKeyRow; secret: Secret } {
  const { name, meta, authority } = wanted;
  const { columns, secret } = newCredential('secret_key', wanted, tx);
  const createdBy = tx.reach.actor.id;
  return { values: { ...columns, name, meta, authority, createdBy }, secret };
}
