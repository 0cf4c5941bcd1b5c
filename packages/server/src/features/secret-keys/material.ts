// A fresh secret key: stored by its hash, and handed back once.
import { mintCredential } from '@keyrail/protocol/key-format.ts';
import { Secret } from '../../base/secret.ts';
import type { Write } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import { insertSecretKey, type SecretKeyRow } from './rows.ts';

export type WantedSecretKey = {
  env: Env;
  name: string | null;
  meta: Record<string, unknown>;
  expiresAt: Date | null;
  authority: 'owner' | 'admin';
  rotatedFrom?: string;
};

export type MintedSecretKey = { row: SecretKeyRow; secret: Secret };

export async function mintSecretKey(
  tx: Write,
  { env, name, meta, expiresAt, authority, rotatedFrom }: WantedSecretKey,
): Promise<MintedSecretKey> {
  const { secret, displayPrefix, lookupHash } = mintCredential('secret_key', env, tx.randomBytes);
  const row = await insertSecretKey(tx, {
    id: tx.newId(),
    env,
    lookupHash: Buffer.from(lookupHash, 'hex'),
    displayPrefix,
    name,
    meta: JSON.stringify(meta),
    expiresAt,
    vendorExpiresAt: expiresAt,
    rotatedFrom: rotatedFrom ?? null,
    authority,
    createdAt: tx.now,
  });
  return { row, secret: new Secret(secret) };
}
