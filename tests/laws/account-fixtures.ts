// Fixtures for accounts, sessions and one-time tokens.
import type { Harness, Input } from '@keyrail/testing/harness.ts';
import { mailedToken, newAddress, PASSWORD, signUp } from '@keyrail/testing/people.ts';
import type { Fixture } from './fixtures.ts';

/**
 * A fixture for an endpoint that concerns a user's own account. Changes to accounts aren't audited,
 * and secret keys can't make them.
 */
const personal = (
  caller: 'owner' | 'visitor' | 'nobody',
  input: Fixture['input'] = () => ({}),
): Fixture => ({ caller, input, audits: [], beyond: null });

/** The token from the email that this request sends to a new user. */
const mailed =
  (kind: 'verify_email' | 'password_reset', more: Input = {}) =>
  async ({ as, testApp }: Harness): Promise<Input> => {
    const email = await signUp((token) => (token === null ? as.nobody : as.token(token)));
    if (kind === 'password_reset') await as.nobody('POST /v1/auth/password_resets', { email });
    return { token: await mailedToken(testApp, email, kind), ...more };
  };

export const accountFixtures = {
  'POST /v1/auth/users': personal('nobody', () => ({ email: newAddress(), password: PASSWORD })),
  'POST /v1/auth/sessions': personal('nobody', async ({ people }) => ({
    email: (await people.owner()).email,
    password: PASSWORD,
  })),
  'GET /v1/auth/me': personal('owner'),
  'PATCH /v1/auth/me': personal('owner', () => ({ name: 'Ada' })),
  'POST /v1/auth/me/password': personal('visitor', () => ({
    current_password: PASSWORD,
    password: 'another long password',
  })),
  'GET /v1/auth/sessions': personal('owner'),
  'DELETE /v1/auth/sessions/current': personal('visitor'),
  'DELETE /v1/auth/sessions/{id}': personal('owner', async ({ as, people }) => {
    const { email } = await people.owner();
    const { id } = await as.nobody('POST /v1/auth/sessions', { email, password: PASSWORD });
    return { id };
  }),
  'POST /v1/auth/sessions/current/workspace': personal('owner', ({ workspaceId }) => ({
    workspace_id: workspaceId,
  })),
  'POST /v1/auth/email_verifications': personal('owner'),
  'POST /v1/auth/email_verifications/consume': personal('nobody', mailed('verify_email')),
  'POST /v1/auth/password_resets': personal('nobody', () => ({ email: newAddress() })),
  'POST /v1/auth/password_resets/consume': personal(
    'nobody',
    mailed('password_reset', { password: 'another long password' }),
  ),
  'POST /v1/auth/invites/preview': personal('nobody', async ({ as }) => {
    const invite = { email: newAddress(), role: 'member' };
    return { token: (await as.liveKey('POST /v1/invites', invite)).token };
  }),
  'POST /v1/auth/invites/accept': {
    caller: 'visitor',
    input: async ({ as }) => {
      const invite = { email: newAddress(), role: 'member' };
      return { token: (await as.liveKey('POST /v1/invites', invite)).token };
    },
    audits: ['workspace_invite.accepted', 'workspace_member.joined'],
    beyond: null,
  },
} satisfies Record<string, Fixture>;
