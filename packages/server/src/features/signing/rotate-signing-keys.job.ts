// Replaces the signing key when it is due, and deletes keys whose last token has expired. Safe to
// run twice: the second run finds nothing due.
import type { OpenWork } from '../../doors/work.ts';
import { rotateSigningKey, type SigningParts } from './rotate-signing-key.ts';
import { removeEnded } from './rows.ts';

export async function rotateSigningKeys(work: OpenWork, signing: SigningParts): Promise<void> {
  await work((tx) => rotateSigningKey(tx, signing, 'due'));
  await work(removeEnded);
}
