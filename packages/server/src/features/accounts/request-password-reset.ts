import { PASSWORD_RESET_HOURS } from '@keyrail/protocol/limits.ts';
import { hoursAfter } from '../../base/duration.ts';
import type { People } from '../../doors/people.ts';
import { insertMailIfKnown } from '../mail/rows.ts';
import { newOneTimeToken } from './one-time-token.ts';
import { endOpenTokens, insertToken, lockUserByEmail } from './rows.ts';

/** Mails a reset link if the address has an account; runs the same statements if it has none. */
export async function requestPasswordReset(tx: People, email: string): Promise<void> {
  const user = await lockUserByEmail(tx, email);
  const userId = user?.id ?? null;
  const { token, hash } = newOneTimeToken(tx.randomBytes);
  await endOpenTokens(tx, userId, 'password_reset');
  await insertToken(tx, userId, {
    purpose: 'password_reset',
    tokenHash: hash,
    expiresAt: hoursAfter(tx.now, PASSWORD_RESET_HOURS),
    endedAt: null,
  });
  await insertMailIfKnown(tx, userId, { kind: 'password_reset', params: {}, token });
}
