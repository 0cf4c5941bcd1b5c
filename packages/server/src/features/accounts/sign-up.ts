import { VERIFICATION_HOURS } from '@keyrail/protocol/limits.ts';
import { assert } from '../../base/assert.ts';
import { hoursAfter } from '../../base/duration.ts';
import type { People } from '../../doors/people.ts';
import { insertMail } from '../mail/rows.ts';
import { newOneTimeToken } from './one-time-token.ts';
import {
  emailKeyOf,
  endOpenTokens,
  insertToken,
  insertUserIfNew,
  lockUserByEmail,
} from './rows.ts';

export type Signup = { email: string; passwordHash: string; name: string | null };

/**
 * Makes an account, or tells the one that exists. Both ways run the same statements and queue
 * exactly one mail, so that neither the answer nor its time says which it was. The password that
 * was sent for an existing account is not kept.
 */
export async function signUp(tx: People, { email, passwordHash, name }: Signup): Promise<void> {
  const made = await insertUserIfNew(tx, {
    id: tx.newId(),
    email,
    emailKey: emailKeyOf(email),
    emailVerifiedAt: null,
    name,
    passwordHash,
    lastWorkspaceId: null,
    createdAt: tx.now,
    lastLoginAt: null,
  });
  const user = await lockUserByEmail(tx, email);
  assert(user, 'an account that was just made or found');

  const isVerified = user.emailVerifiedAt !== null;
  const { token, hash } = newOneTimeToken(tx.randomBytes);
  await endOpenTokens(tx, user.id, 'verify_email');
  await insertToken(tx, user.id, {
    purpose: 'verify_email',
    tokenHash: hash,
    expiresAt: hoursAfter(tx.now, VERIFICATION_HOURS),
    endedAt: isVerified ? tx.now : null,
  });
  await insertMail(tx, {
    kind: made ? 'verify_email' : 'existing_account',
    to: user.email,
    params: {},
    token: isVerified ? null : token,
  });
}
