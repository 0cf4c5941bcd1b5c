// ECDSA over P-256 with SHA-256, as secret scanners sign their reports, and nothing else: a key of
// another kind would verify signatures of another kind.
import { createPublicKey, type KeyObject, verify } from 'node:crypto';

/** Null for what is not a public key of that curve. */
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

/** The signature is base64 of its DER form, over the very bytes that came in. */
export function isSignedBy(key: KeyObject, bytes: Uint8Array, signature: string): boolean {
  const der = Buffer.from(signature, 'base64');
  if (der.toString('base64') !== signature) return false;
  return verify('sha256', bytes, { key, dsaEncoding: 'der' }, der);
}
