// Signs and verifies outbound events as defined by Standard Webhooks 1.0. The server and the SDK
// share this file, so it imports only node:crypto at run time.
import { createHmac, timingSafeEqual } from 'node:crypto';

export const WEBHOOK_ID = 'webhook-id';
export const WEBHOOK_TIMESTAMP = 'webhook-timestamp';
export const WEBHOOK_SIGNATURE = 'webhook-signature';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;
const VERSION = 'v1';

/** Returns the signing secret in the form shown to the vendor. */
export const webhookSecretOf = (bytes: Uint8Array): string =>
  SECRET_PREFIX + Buffer.from(bytes).toString('base64');

/** Decodes a signing secret; null if the text is not one. */
export function webhookSecretBytes(text: string): Buffer | null {
  const encoded = text.startsWith(SECRET_PREFIX) ? text.slice(SECRET_PREFIX.length) : text;
  const bytes = Buffer.from(encoded, 'base64');
  const isWhole = bytes.toString('base64') === encoded;
  const hasLength = bytes.length >= SECRET_BYTES_MIN && bytes.length <= SECRET_BYTES_MAX;
  return isWhole && hasLength ? bytes : null;
}

export type SignedMessage = {
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  body: string | Uint8Array;
};

/**
 * Creates one signature for the header. While two secrets are valid, the header contains one for
 * each.
 */
export const webhookSignature = (secret: Buffer, message: SignedMessage): string =>
  `${VERSION},${digest(secret, message).toString('base64')}`;

/** Whether one of the header's signatures was made with this secret. Compares in constant time. */
export function isSignedWith(secret: Buffer, header: string, message: SignedMessage): boolean {
  const expected = digest(secret, message);
  let isSigned = false;
  for (const entry of header.split(' ')) {
    const comma = entry.indexOf(',');
    if (entry.slice(0, comma) !== VERSION) continue;
    const given = Buffer.from(entry.slice(comma + 1), 'base64');
    if (given.length === expected.length && timingSafeEqual(given, expected)) isSigned = true;
  }
  return isSigned;
}

const digest = (secret: Buffer, { id, timestamp, body }: SignedMessage): Buffer =>
  createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest();
