// Ed25519 pairs, made from bytes that are handed in. A private key is nothing but its 32 bytes of
// chance; everything else about it, the public half included, follows from them.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { RandomBytes } from './random.ts';
import { Secret } from './secret.ts';

const SEED_BYTES = 32;
/** What PKCS #8 writes before the seed of an Ed25519 key. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The public half as `x` of its JWK. */
export type SigningPair = { publicKey: string; seed: Secret };

export function newSigningPair(randomBytes: RandomBytes): SigningPair {
  const seed = new Secret(Buffer.from(randomBytes(SEED_BYTES)).toString('base64url'));
  const { x } = createPublicKey(privateKeyOf(seed)).export({ format: 'jwk' });
  if (x === undefined) throw new Error('impossible: an Ed25519 key without its public half');
  return { publicKey: x, seed };
}

export const privateKeyOf = (seed: Secret): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([PKCS8_HEAD, Buffer.from(seed.reveal(), 'base64url')]),
    format: 'der',
    type: 'pkcs8',
  });

export const publicKeyOf = (x: string): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
