// Replaces the signing key of each purpose when it is due, and deletes what no signature needs any
// more. Safe to run twice: the second run finds nothing due.
import { signingPurposes } from '@keyrail/protocol/wire/signing-purposes.ts';
import type { OpenWork } from '../doors/work.ts';
import { rotateSigningKey, type SigningParts } from './rotate-signing-key.ts';
import { removeEnded } from './rows.ts';

export async function rotateSigningKeys(work: OpenWork, signing: SigningParts): Promise<void> {
  for (const purpose of signingPurposes) {
    await work((tx) => rotateSigningKey(tx, signing, { purpose, cause: 'due' }));
  }
  await work(removeEnded);
}
