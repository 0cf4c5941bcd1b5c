// Encryption of the few secrets that must be readable again: AES-256-GCM under a key derived from
// the deployment's master key. What was altered or sealed elsewhere does not open.
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { RandomBytes } from './random.ts';
import { Secret } from './secret.ts';

const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Said on both sides: without it a shorter tag would do, and a short one can be guessed. */
const options = { authTagLength: TAG_BYTES };

export type Seal = (secret: Secret) => Buffer;
export type Sealing = { seal: Seal; unseal(sealed: Buffer): Secret };

export const sealingUnder = (key: Buffer, randomBytes: RandomBytes): Sealing => ({
  seal(secret) {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, nonce, options);
    const text = Buffer.concat([cipher.update(secret.reveal(), 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), text]);
  },
  unseal(sealed) {
    if (sealed[0] !== FORMAT) throw new Error('sealed in a format that is not known here');
    const tagAt = 1 + NONCE_BYTES;
    const textAt = tagAt + TAG_BYTES;
    const nonce = sealed.subarray(1, tagAt);
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, options);
    decipher.setAuthTag(sealed.subarray(tagAt, textAt));
    const text = Buffer.concat([decipher.update(sealed.subarray(textAt)), decipher.final()]);
    return new Secret(text.toString('utf8'));
  },
});
