// Revocation receipts. Most apps and pages never verify one, so this code is imported only when
// needed, which keeps it out of a bundle's main chunk.
import type { ReceiptKeys, ReceiptVerdict } from './verify-receipt.ts';

/**
 * Checks that a deployment signed this receipt with one of these keys. Only keys whose purpose is
 * `receipt` are used. The claims describe the situation at the time the receipt was signed.
 */
export async function verifyReceipt(receipt: string, jwks: ReceiptKeys): Promise<ReceiptVerdict> {
  const { verdictOf } = await import('./verify-receipt.ts');
  return verdictOf(receipt, jwks);
}
