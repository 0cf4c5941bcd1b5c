import { ApiError } from '../../base/errors.ts';
import type { People } from '../../doors/people.ts';
import { hashOfToken } from './one-time-token.ts';
import { consumeToken, updateUser } from './rows.ts';

/** Consumes the emailed token and marks the address as verified. */
export async function verifyEmail(tx: People, token: string): Promise<void> {
  const userId = await consumeToken(tx, hashOfToken(token), 'verify_email');
  if (userId === null) throw new ApiError('invalid_token');
  await updateUser(tx, userId, { emailVerifiedAt: tx.now });
}
