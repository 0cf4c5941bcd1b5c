// Computes a row's hash on the main thread. The fallback script for pages without WebCrypto is only
// loaded when needed.
import { hexOf, type Sha256 } from '../../parts/audit-log/chain.ts';

export const sha256InPage: Sha256 = async (text) => {
  const bytes = new TextEncoder().encode(text);
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
  if (subtle) return hexOf(new Uint8Array(await subtle.digest('SHA-256', bytes)));
  const { sha256 } = await import('@noble/hashes/sha2.js');
  return hexOf(sha256(bytes));
};
