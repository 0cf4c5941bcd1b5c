import { forbidden } from '../../base/errors.ts';
import type { People } from '../../doors/people.ts';
import { endSessions } from '../sessions/rows.ts';
import { endOpenTokens, lockUser, updateUser } from './rows.ts';

type PasswordChange = {
  userId: string;
  /** The session making the request, and the only one that stays signed in. */
  sessionId: string;
  /**
   * The password hash against which the current password was verified. If the account has a
   * different hash by now, its password has changed since.
   */
  verifiedHash: string;
  passwordHash: string;
};

export const WRONG_PASSWORD = 'The current password is incorrect.';

/** Sets a new password and signs the user out of all other sessions. */
export async function changePassword(
  tx: People,
  { userId, sessionId, verifiedHash, passwordHash }: PasswordChange,
): Promise<void> {
  const user = await lockUser(tx, userId);
  if (user.passwordHash !== verifiedHash) throw forbidden(WRONG_PASSWORD);
  await updateUser(tx, userId, { passwordHash });
  await endOpenTokens(tx, userId, 'password_reset');
  await endSessions(tx, userId, { except: sessionId });
}
