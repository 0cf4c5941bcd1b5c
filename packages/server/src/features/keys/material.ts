// Mints an API key: its row, and the secret that is shown once.
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import { Secret } from '../../base/secret.ts';
import type { Write } from '../../doors/door.ts';
import { refuseUngranted } from './grants.ts';
import type { KeyRow, NewKey } from './rows.ts';

export type WantedKey = Pick<
  KeyRow,
  'projectId' | 'tenantId' | 'env' | 'name' | 'scopes' | 'meta' | 'rateLimits' | 'expiresAt'
> & { rotatedFrom?: string };

export type MintedKey = { row: KeyRow; secret: Secret };

export function newKey(
  { newId, now, randomBytes, reach }: Pick<Write, 'newId' | 'now' | 'randomBytes' | 'reach'>,
  { rotatedFrom, ...wanted }: WantedKey,
): { values: NewKey; secret: Secret } {
  refuseUngranted(reach, wanted.scopes);
  const { secret, displayPrefix, lookupHash } = mintCredential('api_key', wanted.env, randomBytes);
  const values = {
    ...wanted,
    id: newId(),
    lookupHash: Buffer.from(lookupHash, 'hex'),
    displayPrefix,
    vendorExpiresAt: wanted.expiresAt,
    rotatedFrom: rotatedFrom ?? null,
    createdAt: now,
  };
  return { values, secret: new Secret(secret) };
}
