// Verifies ECDSA signatures over P-256 with SHA-256, which is how secret scanners sign their
// reports. Other key types are rejected, because they would verify other kinds of signatures.
import { createPublicKey, type KeyObject, verify } from 'node:crypto';

/** Null if the PEM text isn't a P-256 public key. */
export function p256KeyOf(pem: string): KeyObject | null {
  try {
    const key = createPublicKey(pem);
    const isP256 =
      key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
    return isP256 && !pem.includes('PRIVATE') ? key : null;
  } catch {
    return null;
  }
}

/** The signature is DER-encoded, in canonical base64, and covers the body's raw bytes. */
export function isSignedBy(key: KeyObject, bytes: Uint8Array, signature: string): boolean {
  const der = Buffer.from(signature, 'base64');
  if (der.toString('base64') !== signature) return false;
  return verify('sha256', bytes, { key, dsaEncoding: 'der' }, der);
}
