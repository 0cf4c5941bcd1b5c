import { PASSWORD_RESET_HOURS, VERIFICATION_HOURS } from '@keyrail/protocol/wire/limits.ts';
import { unreachable } from '../../base/assert.ts';
import { hoursAfter } from '../../base/duration.ts';
import type { People } from '../../doors/people.ts';
import { isMailRequest, type MailKind } from '../mail/kinds.ts';
import type { MailRow, ResolvedMail } from '../mail/rows.ts';
import { newOneTimeToken } from './one-time-token.ts';
import { endOpenTokens, insertToken, lockUserByEmail, type UserRow } from './rows.ts';

type Request = Pick<MailRow, 'kind' | 'recipient' | 'params' | 'createdAt'>;

/** Turns a queued request into the email for its account; null if there is nothing to send. */
export async function resolveMailRequest(
  tx: People,
  request: Request,
): Promise<ResolvedMail | null> {
  const user = await lockUserByEmail(tx, request.recipient);
  if (!user) return null;
  const wanted = mailFor(request, user);
  if (!wanted) return null;
  const { kind, purpose } = wanted;
  const sealedToken = purpose && (await replaceToken(tx, { user, purpose, request }));
  return { kind, recipient: user.email, sealedToken };
}

type Purpose = 'verify_email' | 'password_reset';

function mailFor(
  { kind, params }: Request,
  { emailVerifiedAt }: UserRow,
): { kind: MailKind; purpose: Purpose | null } | null {
  if (!isMailRequest(kind)) return null;
  switch (kind) {
    case 'password_reset_request':
      return { kind: 'password_reset', purpose: 'password_reset' };
    case 'verification_request':
      return emailVerifiedAt ? null : { kind: 'verify_email', purpose: 'verify_email' };
    case 'sign_up':
      if (params.account === 'new') return { kind: 'verify_email', purpose: 'verify_email' };
      // A stranger may have created this unverified account. If the mailbox's owner merely verified
      // the address, the stranger's password and sessions would keep working.
      return { kind: 'existing_account', purpose: emailVerifiedAt ? null : 'password_reset' };
    default:
      return unreachable(kind);
  }
}

const hours: Record<Purpose, number> = {
  verify_email: VERIFICATION_HOURS,
  password_reset: PASSWORD_RESET_HOURS,
};

/**
 * Invalidates the user's older links with the same purpose. When resolving a sign-up, also
 * invalidates older verification links.
 */
async function replaceToken(
  tx: People,
  { user, purpose, request }: { user: UserRow; purpose: Purpose; request: Request },
): Promise<Buffer> {
  const { token, hash } = newOneTimeToken(tx.randomBytes);
  await endOpenTokens(tx, user.id, purpose);
  if (request.kind === 'sign_up') await endOpenTokens(tx, user.id, 'verify_email');
  const expiresAt = hoursAfter(request.createdAt, hours[purpose]);
  await insertToken(tx, { userId: user.id, purpose, tokenHash: hash, expiresAt });
  return tx.seal(token);
}
