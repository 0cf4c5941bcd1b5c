// Accounts and their one-time tokens. Endpoints that don't require a credential respond the same
// way whether or not an address has an account.
import { accountEndpoints } from '@keyrail/protocol/endpoints/accounts.ts';
import { password } from '@keyrail/protocol/validators.ts';
import type { PasswordHasher } from '../../access/passwords.ts';
import { personOf } from '../../access/principal.ts';
import type { Throttle } from '../../access/throttle.ts';
import { forbidden } from '../../base/errors.ts';
import { linesOf, type ServedRoute, serve } from '../../http/route.ts';
import { listMemberships } from '../sessions/rows.ts';
import { changePassword, WRONG_PASSWORD } from './change-password.ts';
import { readPasswordsGuessedFirst, refuseWeakPassword } from './password-policy.ts';
import { presentMe, presentUser } from './present.ts';
import { requestPasswordReset, requestVerification } from './request-mail.ts';
import { findResetOwner, resetPassword } from './reset-password.ts';
import { loadUser, updateUser } from './rows.ts';
import { signUp } from './sign-up.ts';
import type { SignupPolicy } from './signup-policy.ts';
import { verifyEmail } from './verify-email.ts';

export type AccountParts = {
  hasher: PasswordHasher;
  throttle: Throttle;
  passwordCharsMin: number;
  signupPolicy: SignupPolicy;
};

const personLines = linesOf(
  accountEndpoints,
  'POST /v1/auth/users',
  'GET /v1/auth/me',
  'PATCH /v1/auth/me',
  'POST /v1/auth/me/password',
);

const tokenLines = linesOf(
  accountEndpoints,
  'POST /v1/auth/email_verifications',
  'POST /v1/auth/email_verifications/consume',
  'POST /v1/auth/password_resets',
  'POST /v1/auth/password_resets/consume',
);

export function accountRoutes(parts: AccountParts): ServedRoute[] {
  readPasswordsGuessedFirst();
  return [...personRoutes(parts), ...tokenRoutes(parts)];
}

/**
 * The schema includes the configured minimum length, so a password that is too short is reported
 * along with all other errors.
 */
function personLinesWith(charsMin: number) {
  const { 'POST /v1/auth/users': signingUp, 'POST /v1/auth/me/password': changing } = personLines;
  const fields = { password: password(charsMin) };
  return {
    ...personLines,
    'POST /v1/auth/users': { ...signingUp, body: signingUp.body.extend(fields) },
    'POST /v1/auth/me/password': { ...changing, body: changing.body.extend(fields) },
  };
}

function tokenLinesWith(charsMin: number) {
  const { 'POST /v1/auth/password_resets/consume': resetting } = tokenLines;
  const body = resetting.body.extend({ password: password(charsMin) });
  return { ...tokenLines, 'POST /v1/auth/password_resets/consume': { ...resetting, body } };
}

const personRoutes = ({
  hasher,
  throttle,
  passwordCharsMin: charsMin,
  signupPolicy: policy,
}: AccountParts) =>
  serve(personLinesWith(charsMin), {
    'POST /v1/auth/users': {
      boundary: 'none',
      door: 'gate',
      run: async ({ people, body: { email, password, name = null }, clientAddress }) => {
        await throttle.chargeSignUp(email);
        refuseWeakPassword(password, email);
        const passwordHash = await hasher.hash(password, { clientAddress, isKnownClient: false });
        await people((tx) => signUp(tx, { email, passwordHash, name, policy }));
        return { object: 'signup', email, accepted: true } as const;
      },
    },
    'GET /v1/auth/me': {
      boundary: 'none',
      door: 'gate',
      run: ({ people, principal }) =>
        people(async (tx) => {
          const { userId, reach } = personOf(principal);
          const user = await loadUser(tx, userId);
          const memberships = await listMemberships(tx, userId);
          return presentMe(user, reach?.workspaceId ?? null, memberships);
        }),
    },
    'PATCH /v1/auth/me': {
      boundary: 'none',
      door: 'gate',
      run: async ({ people, principal, body: { name } }) =>
        presentUser(await people((tx) => updateUser(tx, personOf(principal).userId, { name }))),
    },
    'POST /v1/auth/me/password': {
      boundary: 'none',
      door: 'gate',
      run: async ({ people, principal, body: { current_password, password }, clientAddress }) => {
        const { userId, sessionId } = personOf(principal);
        await throttle.chargeAccount(userId);
        const { passwordHash: verifiedHash, email } = await people((tx) => loadUser(tx, userId));
        const cause = { clientAddress, isKnownClient: true };
        const isRight = await hasher.verify(verifiedHash, current_password, cause);
        if (!isRight) throw forbidden(WRONG_PASSWORD);
        refuseWeakPassword(password, email);
        const passwordHash = await hasher.hash(password, cause);
        await people((tx) => changePassword(tx, { userId, sessionId, verifiedHash, passwordHash }));
        return { object: 'password', changed: true } as const;
      },
    },
  });

const tokenRoutes = ({ hasher, throttle, passwordCharsMin: charsMin }: AccountParts) =>
  serve(tokenLinesWith(charsMin), {
    'POST /v1/auth/email_verifications': {
      boundary: 'none',
      door: 'gate',
      run: async ({ people, principal }) => {
        const { userId } = personOf(principal);
        await throttle.chargeAccount(userId);
        await people((tx) => requestVerification(tx, userId));
        return { object: 'email_verification', accepted: true } as const;
      },
    },
    'POST /v1/auth/email_verifications/consume': {
      boundary: 'none',
      door: 'gate',
      run: async ({ people, body: { token } }) => {
        await people((tx) => verifyEmail(tx, token));
        return { object: 'email_verification', verified: true } as const;
      },
    },
    'POST /v1/auth/password_resets': {
      boundary: 'none',
      door: 'gate',
      run: async ({ people, body: { email } }) => {
        await throttle.chargeReset(email);
        await people((tx) => requestPasswordReset(tx, email));
        return { object: 'password_reset', accepted: true } as const;
      },
    },
    'POST /v1/auth/password_resets/consume': {
      boundary: 'none',
      door: 'gate',
      run: async ({ people, body: { token, password }, clientAddress }) => {
        // The token is looked up first, so that no password is hashed for an unknown token.
        const { id: ownerId, email } = await people((tx) => findResetOwner(tx, token));
        refuseWeakPassword(password, email);
        const passwordHash = await hasher.hash(password, { clientAddress, isKnownClient: false });
        await people((tx) => resetPassword(tx, { ownerId, token, passwordHash }));
        return { object: 'password_reset', consumed: true } as const;
      },
    },
  });
