// Encryption of backup files with age (https://age-encryption.org), so that the standard `age` tool
// can also decrypt them. The key is an age identity, as printed by `age-keygen`.
//
// Anyone with the public half of the key can create an age file. So the manifest, which contains
// the digest of every file, has a MAC whose key can only be derived from the private half.
import { createHmac, hkdfSync } from 'node:crypto';
import { ReadableStream } from 'node:stream/web';
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';

export type Bytes = AsyncIterable<Uint8Array>;

export const newBackupKey = (): Promise<string> => generateX25519Identity();

export async function* encrypted(plain: Bytes, key: string): AsyncGenerator<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(key));
  yield* await encrypter.encrypt(streamOf(plain));
}

export async function* decrypted(sealed: Bytes, key: string): AsyncGenerator<Uint8Array> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(key);
  yield* await decrypter.decrypt(streamOf(sealed));
}

const streamOf = (bytes: Bytes): ReadableStream<Uint8Array> => ReadableStream.from(bytes);

const MAC_KEY_BYTES = 32;

export function macOf(text: string, key: string): string {
  const macKey = hkdfSync('sha256', key, '', 'keyrail backup manifest', MAC_KEY_BYTES);
  return createHmac('sha256', Buffer.from(macKey)).update(text).digest('hex');
}
