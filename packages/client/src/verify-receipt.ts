// Verifies revocation receipts without making any requests, in Node.js 20 and later and in
// browsers.
import {
  incompleteReasons,
  RECEIPT_PURPOSE,
  RECEIPT_TYP,
  type ReceiptClaims,
  receiptChanges,
} from '@keyrail/protocol/wire/receipt.ts';

export type { ReceiptClaims } from '@keyrail/protocol/wire/receipt.ts';

/** The response of the deployment's `/.well-known/jwks.json`, or a saved copy. */
export type ReceiptKeys = {
  keys: readonly { kty: string; crv: string; x: string; kid: string; purpose?: string }[];
};

export type ReceiptVerdict =
  | { valid: true; claims: ReceiptClaims; kid: string }
  | { valid: false; reason: string };

export async function verdictOf(receipt: string, jwks: ReceiptKeys): Promise<ReceiptVerdict> {
  const parts = receipt.trim().split('.');
  const [head = '', body = '', signature = ''] = parts;
  if (parts.length !== 3) return refusal('This is not a compact JWS, which has three parts.');
  const header = jsonOf(head);
  const claims = jsonOf(body);
  const signed = bytesOf(signature);
  if (!header || !claims || !signed) return refusal('Part of the receipt is unreadable.');
  if (header.alg !== 'EdDSA' || header.typ !== RECEIPT_TYP || 'crit' in header) {
    return refusal(`This is not a receipt: typ must be ${RECEIPT_TYP}.`);
  }
  const { kid } = header;
  const jwk = jwks.keys.find((key) => key.kid === kid);
  if (!jwk || typeof kid !== 'string')
    return refusal(`The JWKS does not contain key ${String(kid)}.`);
  if (jwk.purpose !== RECEIPT_PURPOSE) return refusal(`Key ${kid} is not for signing receipts.`);
  const isGenuine = await isSigned({ jwk, signed, text: `${head}.${body}` });
  if (!isGenuine) return refusal('Invalid signature: the receipt was altered or forged.');
  if (!isReceipt(claims)) return refusal('The claims are not valid receipt claims.');
  return { valid: true, claims, kid };
}

const refusal = (reason: string): ReceiptVerdict => ({ valid: false, reason });

type Signed = { jwk: ReceiptKeys['keys'][number]; signed: Uint8Array<ArrayBuffer>; text: string };

async function isSigned({ jwk: { kty, crv, x }, signed, text }: Signed): Promise<boolean> {
  if (kty !== 'OKP' || crv !== 'Ed25519') return false;
  const { subtle } = globalThis.crypto;
  const algorithm = { name: 'Ed25519' };
  const bytes = new TextEncoder().encode(text);
  const key = await subtle
    .importKey('jwk', { kty, crv, x }, algorithm, false, ['verify'])
    .catch(notOfKey);
  return key !== null && subtle.verify(algorithm, key, signed, bytes);
}

/**
 * Returns null if the key is malformed. Rethrows if the platform lacks Ed25519, because then no
 * receipt can be verified.
 */
function notOfKey(error: unknown): null {
  if (error instanceof Error && error.name === 'NotSupportedError') throw error;
  return null;
}

function jsonOf(part: string): Record<string, unknown> | null {
  const bytes = bytesOf(part);
  if (!bytes) return null;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Decodes base64url. Null if the text is not base64url, or not in its canonical form. */
function bytesOf(part: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]+$/.test(part)) return null;
  try {
    const text = atob(part.replaceAll('-', '+').replaceAll('_', '/'));
    const again = btoa(text)
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replace(/={1,2}$/, '');
    return again === part ? Uint8Array.from(text, (char) => char.charCodeAt(0)) : null;
  } catch {
    return null;
  }
}

const texts = ['iss', 'ws', 'prj', 'env', 'key_id', 'lookup_hash', 'change', 'audit_hash'] as const;
const numbers = ['iat', 'version', 'waited_ms', 'audit_seq'] as const;

/**
 * Whether the claims have the expected form. The signature is already verified, so only a receipt
 * from a later version could fail here.
 */
const isReceipt = (claims: Record<string, unknown>): claims is ReceiptClaims =>
  texts.every((name) => typeof claims[name] === 'string') &&
  numbers.every((name) => typeof claims[name] === 'number') &&
  receiptChanges.some((change) => change === claims.change) &&
  typeof claims.complete === 'boolean' &&
  isReason(claims.incomplete_reason) &&
  (claims.silent_nodes === undefined || typeof claims.silent_nodes === 'number') &&
  Array.isArray(claims.nodes) &&
  claims.nodes.every(isNode);

/** Whether the reason is valid. Receipts from earlier releases have none. */
const isReason = (reason: unknown): boolean =>
  reason === undefined || reason === null || incompleteReasons.some((known) => known === reason);

const isNode = (node: unknown): boolean =>
  isRecord(node) &&
  typeof node.node_id === 'string' &&
  typeof node.version === 'number' &&
  typeof node.acked === 'boolean';
