// Encrypts the few secrets that must be recoverable. Uses AES-256-GCM with a key derived from the
// master key. Unsealing fails for altered data and for data sealed with a different key.
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import type { RandomBytes } from './random.ts';
import { Secret } from './secret.ts';

const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/**
 * Requires full-length tags. Otherwise a truncated tag would be accepted, and short tags can be
 * guessed.
 */
const options = { authTagLength: TAG_BYTES };

export type Seal = (secret: Secret) => Buffer;
export type Sealing = { seal: Seal; unseal(sealed: Buffer): Secret };

/** Seals bytes for one context; unsealing them with a different context fails. */
export type BoundSealing = {
  seal(plain: Buffer, context: string): Buffer;
  unseal(sealed: Buffer, context: string): Buffer;
};

export const createBoundSealing = (key: Buffer, randomBytes: RandomBytes): BoundSealing => ({
  seal(plain, context) {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, nonce, options);
    cipher.setAAD(Buffer.from(context));
    const text = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), text]);
  },
  unseal(sealed, context) {
    if (sealed[0] !== FORMAT) throw new Error('cannot unseal: unknown format');
    const tagAt = 1 + NONCE_BYTES;
    const textAt = tagAt + TAG_BYTES;
    const nonce = sealed.subarray(1, tagAt);
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, options);
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(sealed.subarray(tagAt, textAt));
    return Buffer.concat([decipher.update(sealed.subarray(textAt)), decipher.final()]);
  },
});

/** Secrets have no context, because their key has only one purpose. */
const UNBOUND = '';

export function createSealing(key: Buffer, randomBytes: RandomBytes): Sealing {
  const { seal, unseal } = createBoundSealing(key, randomBytes);
  return {
    seal: (secret) => seal(Buffer.from(secret.reveal()), UNBOUND),
    unseal: (sealed) => new Secret(unseal(sealed, UNBOUND).toString('utf8')),
  };
}

const KEY_BYTES = 32;

/**
 * Derives a separate key for each purpose, so that a key for one purpose is useless for any other.
 */
export const keyFor = (purpose: string, masterKey: Secret): Buffer =>
  Buffer.from(
    hkdfSync(
      'sha256',
      Buffer.from(masterKey.reveal(), 'base64'),
      '',
      `keyrail ${purpose}`,
      KEY_BYTES,
    ),
  );

/**
 * Returns a fingerprint of a master key. Equal keys have equal fingerprints, which reveal nothing
 * else about the keys.
 */
export const masterKeyMark = (masterKey: Secret): string =>
  keyFor('mark', masterKey).toString('hex').slice(0, 32);
