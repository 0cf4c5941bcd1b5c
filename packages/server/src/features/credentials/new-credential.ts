// Creates an API key or a secret key: the columns they share, and the secret that is shown once.
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import { Secret } from '../../base/secret.ts';
import type { Write } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';

/** A key's new database row, together with its secret. */
export type Minted<Row> = { row: Row; secret: Secret };

/** The result of a rotation: the new key with its secret, and the key it replaces. */
export type Rotated<Row> = Minted<Row> & { predecessor: Row };

export type Minting = Pick<Write, 'newId' | 'now' | 'randomBytes'>;

type Wanted = {
  env: Env;
  expiresAt: Date | null;
  /** The ID of the key that a rotation replaces. */
  rotatedFrom?: string;
};

export function newCredential(
  kind: 'api_key' | 'secret_key',
  { env, expiresAt, rotatedFrom }: Wanted,
  { newId, now, randomBytes }: Minting,
) {
  const { secret, displayPrefix, lookupHash } = mintCredential(kind, env, randomBytes);
  return {
    columns: {
      id: newId(),
      env,
      lookupHash: Buffer.from(lookupHash, 'hex'),
      displayPrefix,
      expiresAt,
      vendorExpiresAt: expiresAt,
      rotatedFrom: rotatedFrom ?? null,
      createdAt: now,
    },
    secret: new Secret(secret),
  };
}
