// ECDSA over P-256 with SHA-256, as secret scanners sign their reports. Other key types are
// rejected, because they would verify other kinds of signatures.
import { createPublicKey, type KeyObject, verify } from 'node:crypto';

/** Null if the PEM is not a public key of P-256. */
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

/** The signature is DER in canonical base64, over the raw bytes of the body. */
export function isSignedBy(key: KeyObject, bytes: Uint8Array, signature: string): boolean {
  const der = Buffer.from(signature, 'base64');
  if (der.toString('base64') !== signature) return false;
  return verify('sha256', bytes, { key, dsaEncoding: 'der' }, der);
}
