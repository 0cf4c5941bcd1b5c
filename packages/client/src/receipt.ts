// Receipts of revocations. Most apps and pages never verify one, so the code is loaded on demand,
// which keeps bundles that are split into chunks small.
import type { ReceiptKeys, ReceiptVerdict } from './verify-receipt.ts';

/**
 * Whether a deployment signed this receipt with one of these keys. Only keys with the purpose
 * `receipt` are considered. The claims describe the moment of signing.
 */
export async function verifyReceipt(receipt: string, jwks: ReceiptKeys): Promise<ReceiptVerdict> {
  const { verdictOf } = await import('./verify-receipt.ts');
  return verdictOf(receipt, jwks);
}
