// A team's journey, from the first sign-up until members leave, over HTTP against the real program
// and the emails it sends.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, refused } from '@keyrail/testing/harness.ts';
import { type Deployment, deploy, mailedToken, type Running } from './deployment.ts';

const PASSWORD = 'correct horse battery staple';
const accept = 'POST /v1/auth/invites/accept';
const me = 'GET /v1/auth/me';

type Someone = { call: Caller; id: string };

const signUp = ({ as }: Running, email: string) =>
  as(null)('POST /v1/auth/users', { email, password: PASSWORD });

async function logIn({ as }: Running, email: string): Promise<Someone> {
  const session = await as(null)('POST /v1/auth/sessions', { email, password: PASSWORD });
  return { call: as(session.token), id: session.user.id };
}

async function verified(deployment: Deployment, server: Running, email: string) {
  await signUp(server, email);
  const token = await mailedToken(deployment, email, 'verify_email');
  await server.as(null)('POST /v1/auth/email_verifications/consume', { token });
  return logIn(server, email);
}

/** A user with a verified address joins with an invitation token that the owner passes on. */
async function joinByHand(
  deployment: Deployment,
  server: Running,
  owner: Someone,
): Promise<Someone> {
  const email = 'grace@example.com';
  const grace = await verified(deployment, server, email);
  const { token } = await owner.call('POST /v1/invites', { email, role: 'admin' });
  const joined = await grace.call(accept, { token });
  deepEqual([joined.user_id, joined.role, joined.active], [grace.id, 'admin', true]);
  return grace;
}

/**
 * A user with an unverified address joins with the token from the invitation email, which also
 * verifies the address.
 */
async function joinByMail(
  deployment: Deployment,
  server: Running,
  owner: Someone,
): Promise<Someone> {
  const email = 'mary@example.com';
  await signUp(server, email);
  const mary = await logIn(server, email);
  const { token } = await owner.call('POST /v1/invites', { email, role: 'member' });
  await refused(mary.call(accept, { token }), 403, 'email_unverified');
  const mailed = await mailedToken(deployment, email, 'invite');
  equal((await mary.call(accept, { token: mailed })).role, 'member');
  equal((await mary.call(me)).user.email_verified, true);
  return mary;
}

test('team members sign up, create a workspace, invite, accept, switch, get promoted and leave', async (t) => {
  const deployment = await deploy(t);
  const server = await deployment.run();
  const ada = await verified(deployment, server, 'ada@example.com');
  const made = await ada.call('POST /v1/workspaces', { name: 'Analytical', slug: 'analytical' });
  deepEqual(made.membership, { user_id: ada.id, role: 'owner' });
  equal((await ada.call(me)).active_workspace_id, made.workspace.id);
  const grace = await joinByHand(deployment, server, ada);
  const mary = await joinByMail(deployment, server, ada);

  const members = (await mary.call('GET /v1/members')).data;
  deepEqual(
    members.map(({ email, role }) => `${email} ${role}`),
    ['ada@example.com owner', 'grace@example.com admin', 'mary@example.com member'],
  );
  await refused(mary.call('POST /v1/secret_keys', { env: 'test' }), 403, 'forbidden');
  await ada.call('PATCH /v1/members/{userId}', { userId: mary.id, role: 'admin' });
  await mary.call('POST /v1/secret_keys', { env: 'test' });

  const own = await grace.call('POST /v1/workspaces', { name: 'Compilers', slug: 'compilers' });
  equal(
    (await grace.call(me)).active_workspace_id,
    made.workspace.id,
    'the active workspace did not change',
  );
  const there = { workspace_id: own.workspace.id };
  await grace.call('POST /v1/auth/sessions/current/workspace', there);
  equal((await grace.call('GET /v1/workspace')).slug, 'compilers');

  await ada.call('DELETE /v1/members/{userId}', { userId: mary.id });
  await refused(mary.call('GET /v1/workspace'), 403, 'no_active_workspace');
  await refused(ada.call('DELETE /v1/members/{userId}', { userId: ada.id }), 409, 'conflict');
  await checkLog(ada);
  equal((await server.as(null)('GET /status')).components.worker, 'ok');
  await checkLinks(deployment, server);
  await resetAcrossRestart(deployment, server, ada);
});

/** The program picked its own port (KEYRAIL_PORT=0), so its links must contain that port. */
async function checkLinks({ mails }: Deployment, { url }: Running): Promise<void> {
  const links = (await mails()).flatMap(({ text }) => text.match(/https?:\S+/g) ?? []);
  ok(links.length > 2, 'links were mailed');
  deepEqual([...new Set(links.map((link) => new URL(link).origin))], [url]);
  const openApi = await (await fetch(`${url}/openapi.json`)).text();
  ok(openApi.includes(`"servers":[{"url":"${url}"`), openApi.slice(0, 300));
}

async function checkLog({ call }: Someone): Promise<void> {
  ok((await call('GET /v1/audit_logs/chain')).verified);
  const actions = (await call('GET /v1/audit_logs')).data.map(({ action }) => action);
  const joining = [
    'workspace_invite.created',
    'workspace_invite.accepted',
    'workspace_member.joined',
  ];
  deepEqual(actions, [
    'workspace.created',
    'workspace_member.joined',
    'secret_key.created',
    ...joining,
    ...joining,
    'workspace_member.role_changed',
    'secret_key.created',
    'workspace_member.removed',
  ]);
}

/** Requests a password reset, and uses the link from the email after the program has restarted. */
async function resetAcrossRestart(
  deployment: Deployment,
  before: Running,
  person: Someone,
): Promise<void> {
  const email = 'ada@example.com';
  await before.as(null)('POST /v1/auth/password_resets', { email });
  equal((await before.stop()).code, 0);
  const { as, ask } = await deployment.run();
  const token = await mailedToken(deployment, email, 'password_reset');
  const password = 'an even better password';
  await as(null)('POST /v1/auth/password_resets/consume', { token, password });
  equal((await ask('POST /v1/auth/sessions', { email, password: PASSWORD })).status, 401);
  const { user } = await as(null)('POST /v1/auth/sessions', {
    email: email.toUpperCase(),
    password,
  });
  deepEqual([user.id, user.email], [person.id, email]);
}
