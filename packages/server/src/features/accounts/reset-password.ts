import { ApiError } from '../../base/errors.ts';
import type { People } from '../../doors/people.ts';
import { endSessions } from '../sessions/rows.ts';
import { hashOfToken } from './one-time-token.ts';
import {
  consumeToken,
  endOpenTokens,
  findTokenOwner,
  lockUser,
  type UserRow,
  updateUser,
} from './rows.ts';

/**
 * Finds the user whose password the token can reset. Throws a 400 if the token is unknown, used,
 * replaced or expired.
 */
export async function findResetOwner(tx: People, token: string): Promise<UserRow> {
  const owner = await findTokenOwner(tx, hashOfToken(token), 'password_reset');
  if (!owner) throw new ApiError('invalid_token');
  return owner;
}

/**
 * Sets a new password and consumes the emailed token. Signs the user out everywhere and invalidates
 * all other reset links. The token proves control of the mailbox, so the email address becomes
 * verified.
 */
export async function resetPassword(
  tx: People,
  { ownerId, token, passwordHash }: { ownerId: string; token: string; passwordHash: string },
): Promise<void> {
  await lockUser(tx, ownerId);
  const userId = await consumeToken(tx, hashOfToken(token), 'password_reset');
  if (userId === null) throw new ApiError('invalid_token');
  const user = await updateUser(tx, userId, { passwordHash });
  if (!user.emailVerifiedAt) await updateUser(tx, userId, { emailVerifiedAt: tx.now });
  await endOpenTokens(tx, userId, 'password_reset');
  await endSessions(tx, userId, { except: null });
}
