// One-time tokens: 256 random bits, emailed once, stored only as a hash.
import { lookupHash, mintOneTimeToken } from '@keyrail/protocol/wire/key-format.ts';
import type { RandomBytes } from '../../base/random.ts';
import { Secret } from '../../base/secret.ts';

export const hashOfToken = (token: string): Buffer => Buffer.from(lookupHash(token), 'hex');

export function newOneTimeToken(randomBytes: RandomBytes): { token: Secret; hash: Buffer } {
  const { token, hash } = mintOneTimeToken(randomBytes);
  return { token: new Secret(token), hash: Buffer.from(hash, 'hex') };
}
