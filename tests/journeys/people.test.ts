// A team comes together: the whole way from signing up to leaving, over HTTP, against the program
// as it is started, with the mail that it sends.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, refused } from '../bench.ts';
import {
  BOOTSTRAP_TOKEN,
  type Deployment,
  deploy,
  mailedToken,
  type Running,
} from './deployment.ts';

const PASSWORD = 'correct horse battery staple';
const accept = 'POST /v1/auth/invites/accept';
const me = 'GET /v1/auth/me';

const signUp = ({ as }: Running, email: string) =>
  as(null)('POST /v1/auth/users', { email, password: PASSWORD });

async function logIn({ as }: Running, email: string): Promise<{ call: Caller; id: string }> {
  const session = await as(null)('POST /v1/auth/sessions', { email, password: PASSWORD });
  return { call: as(session.token), id: session.user.id };
}

async function verified(deployment: Deployment, server: Running, email: string) {
  await signUp(server, email);
  const token = await mailedToken(deployment, email, 'verify_email');
  await server.as(null)('POST /v1/auth/email_verifications/consume', { token });
  return logIn(server, email);
}

test('a team signs up, founds, invites, accepts, switches, is promoted and leaves', async (t) => {
  const deployment = await deploy(t);
  const server = await deployment.run();
  const ada = await verified(deployment, server, 'ada@example.com');
  const made = await ada.call('POST /v1/workspaces', { name: 'Analytical', slug: 'analytical' });
  deepEqual(made.membership, { user_id: ada.id, role: 'owner' });
  equal((await ada.call(me)).active_workspace_id, made.workspace.id);

  // Grace takes the token that Ada hands over, with an address that is verified already.
  const grace = await verified(deployment, server, 'grace@example.com');
  const handed = await ada.call('POST /v1/invites', { email: 'grace@example.com', role: 'admin' });
  deepEqual(await grace.call(accept, { token: handed.token }), {
    object: 'workspace_member',
    workspace_id: made.workspace.id,
    user_id: grace.id,
    role: 'admin',
    active: true,
  });

  // Mary has not verified hers: the link that was mailed to her proves it.
  await signUp(server, 'mary@example.com');
  const mary = await logIn(server, 'mary@example.com');
  const invited = await ada.call('POST /v1/invites', { email: 'mary@example.com', role: 'member' });
  await refused(mary.call(accept, { token: invited.token }), 403, 'email_unverified');
  const mailed = await mailedToken(deployment, 'mary@example.com', 'invite');
  equal((await mary.call(accept, { token: mailed })).role, 'member');
  equal((await mary.call(me)).user.email_verified, true);

  const members = (await mary.call('GET /v1/members')).data;
  deepEqual(
    members.map(({ email, role }) => `${email} ${role}`),
    ['ada@example.com owner', 'grace@example.com admin', 'mary@example.com member'],
  );
  await refused(mary.call('POST /v1/secret_keys', { env: 'test' }), 403, 'forbidden');
  await ada.call('PATCH /v1/members/{userId}', { userId: mary.id, role: 'admin' });
  await mary.call('POST /v1/secret_keys', { env: 'test' });

  const own = await grace.call('POST /v1/workspaces', { name: 'Compilers', slug: 'compilers' });
  equal((await grace.call(me)).active_workspace_id, made.workspace.id, 'not moved');
  const there = { workspace_id: own.workspace.id };
  await grace.call('POST /v1/auth/sessions/current/workspace', there);
  equal((await grace.call('GET /v1/workspace')).slug, 'compilers');

  await ada.call('DELETE /v1/members/{userId}', { userId: mary.id });
  await refused(mary.call('GET /v1/workspace'), 403, 'no_active_workspace');
  await refused(ada.call('DELETE /v1/members/{userId}', { userId: ada.id }), 409, 'conflict');

  const chain = await ada.call('GET /v1/audit_logs/chain');
  ok(chain.verified);
  const actions = (await ada.call('GET /v1/audit_logs')).data.map(({ action }) => action);
  deepEqual(actions, [
    'workspace.created',
    'workspace_member.joined',
    'secret_key.created',
    'workspace_invite.created',
    'workspace_invite.accepted',
    'workspace_member.joined',
    'workspace_invite.created',
    'workspace_invite.accepted',
    'workspace_member.joined',
    'workspace_member.role_changed',
    'secret_key.created',
    'workspace_member.removed',
  ]);
  equal((await server.as(null)('GET /status')).components.worker, 'ok');
  equal((await server.stop()).code, 0);
});

test('a forgotten password is reset by mail, across a restart of the program', async (t) => {
  const deployment = await deploy(t);
  const first = await deployment.run();
  const before = await verified(deployment, first, 'ada@example.com');
  await first.as(null)('POST /v1/auth/password_resets', { email: 'ada@example.com' });
  const founded = await first.as(BOOTSTRAP_TOKEN)('POST /v1/workspaces', {
    name: 'Acme',
    slug: 'acme',
  });
  equal(founded.membership, null);
  equal((await first.stop()).code, 0);

  const server = await deployment.run();
  await server.as(null)('GET /readyz');
  const token = await mailedToken(deployment, 'ada@example.com', 'password_reset');
  const password = 'an even better password';
  await server.as(null)('POST /v1/auth/password_resets/consume', { token, password });
  const old = server.ask('POST /v1/auth/sessions', {
    email: 'ada@example.com',
    password: PASSWORD,
  });
  equal((await old).status, 401);
  const { user } = await server.as(null)('POST /v1/auth/sessions', {
    email: 'ADA@example.com',
    password,
  });
  equal(user.id, before.id);
  match(user.last_login_at ?? '', /Z$/);
});
