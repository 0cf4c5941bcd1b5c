// Signs revocation receipts. Receipts have their own `typ` and signing key, so no verifier accepts
// one of this deployment's other signatures as a receipt, or a receipt as anything else.
import {
  RECEIPT_PURPOSE,
  RECEIPT_TYP,
  type ReceiptClaims,
} from '@keyrail/protocol/wire/receipt.ts';
import { SignJWT } from 'jose';
import type { Log } from '../base/log.ts';
import type { SigningKeys } from './keys.ts';

/** A receipt without its issuer. */
export type Unissued = Omit<ReceiptClaims, 'iss'>;

/**
 * Returns null if there is no signing key or it can't be decrypted. This is not an error, because
 * the key has already been revoked or disabled.
 */
export type SignReceipt = (
  claims: Unissued,
  signer: { kid: string | null },
) => Promise<string | null>;

type ReceiptParts = { signingKeys: Pick<SigningKeys, 'signing'>; issuer: string; log: Log };

export const createReceiptSigner =
  ({ signingKeys, issuer, log }: ReceiptParts): SignReceipt =>
  async (claims, { kid }) => {
    if (kid === null) return null;
    try {
      const key = await signingKeys.signing(kid, RECEIPT_PURPOSE);
      const receipt: ReceiptClaims = { iss: issuer, ...claims };
      const header = { alg: 'EdDSA', typ: RECEIPT_TYP, kid };
      return await new SignJWT(receipt).setProtectedHeader(header).sign(key);
    } catch (error) {
      log.error({ error, kid }, 'failed to sign a receipt');
      return null;
    }
  };
