// Ed25519 key pairs from injected random bytes. A private key is stored as its 32-byte seed, from
// which everything else is derived, including the public key.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { RandomBytes } from '../base/random.ts';
import { Secret } from '../base/secret.ts';

const SEED_BYTES = 32;
/** The PKCS #8 header that precedes an Ed25519 key's seed. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** `publicKey` is the JWK's `x`. */
type SigningPair = { publicKey: string; seed: Secret };

export function newSigningPair(randomBytes: RandomBytes): SigningPair {
  const seed = new Secret(Buffer.from(randomBytes(SEED_BYTES)).toString('base64url'));
  const { x } = createPublicKey(privateKeyOf(seed)).export({ format: 'jwk' });
  if (x === undefined) throw new Error('bug: an Ed25519 key was exported without its public half');
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
