// A new secret key: its row, and the secret that is shown once.
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import { Secret } from '../../base/secret.ts';
import type { Write } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import type { NewSecretKeyRow, SecretKeyRow } from './rows.ts';

export type WantedSecretKey = {
  env: Env;
  name: string | null;
  meta: Record<string, unknown>;
  expiresAt: Date | null;
  authority: 'owner' | 'admin';
  rotatedFrom?: string;
};

export type MintedSecretKey = { row: SecretKeyRow; secret: Secret };

export function newSecretKey(
  { newId, now, randomBytes }: Pick<Write, 'newId' | 'now' | 'randomBytes'>,
  { env, name, meta, expiresAt, authority, rotatedFrom }: WantedSecretKey,
): { values: NewSecretKeyRow; secret: Secret } {
  const { secret, displayPrefix, lookupHash } = mintCredential('secret_key', env, randomBytes);
  const values = {
    id: newId(),
    env,
    lookupHash: Buffer.from(lookupHash, 'hex'),
    displayPrefix,
    name,
    meta: JSON.stringify(meta),
    expiresAt,
    vendorExpiresAt: expiresAt,
    rotatedFrom: rotatedFrom ?? null,
    authority,
    createdAt: now,
  };
  return { values, secret: new Secret(secret) };
}
