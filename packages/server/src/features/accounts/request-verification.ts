import { VERIFICATION_HOURS } from '@keyrail/protocol/limits.ts';
import { hoursAfter } from '../../base/duration.ts';
import type { People } from '../../doors/people.ts';
import { insertMail } from '../mail/rows.ts';
import { newOneTimeToken } from './one-time-token.ts';
import { endOpenTokens, insertToken, lockUser } from './rows.ts';

/** Sends another verification link, unless there is nothing left to verify. */
export async function requestVerification(tx: People, userId: string): Promise<void> {
  const user = await lockUser(tx, userId);
  if (user.emailVerifiedAt) return;
  const { token, hash } = newOneTimeToken(tx.randomBytes);
  await endOpenTokens(tx, userId, 'verify_email');
  await insertToken(tx, userId, {
    purpose: 'verify_email',
    tokenHash: hash,
    expiresAt: hoursAfter(tx.now, VERIFICATION_HOURS),
    endedAt: null,
  });
  await insertMail(tx, { kind: 'verify_email', to: user.email, params: {}, token });
}
