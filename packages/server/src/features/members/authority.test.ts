// A secret key never has more authority than its creator, even if it was created by another key or
// by rotation. Creating a workspace makes a user the owner of that workspace only.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Caller,
  type Harness,
  harness,
  messageOf,
  refused,
} from '@keyrail/testing/harness.ts';
import { callersOf, newAddress, newMember, someone } from '@keyrail/testing/people.ts';

const mint = 'POST /v1/secret_keys';
const rotate = 'POST /v1/secret_keys/{id}/rotate';
const found = 'POST /v1/workspaces';

let workspaces = 0;

const named = () => {
  workspaces += 1;
  return { name: 'Own', slug: `own-${process.pid}-${workspaces}` };
};

/** Returns four changes that only owners may make. Each would succeed for an owner. */
async function ownersOwn(app: Harness): Promise<[string, (caller: Caller) => Promise<unknown>][]> {
  const { userId } = await app.people.member();
  const invited = { email: newAddress(), role: 'owner' };
  const { id } = await app.as.liveKey('POST /v1/invites', invited);
  return [
    ['invite', (caller) => caller('POST /v1/invites', invited)],
    ['revoke', (caller) => caller('POST /v1/invites/{id}/revoke', { id })],
    ['promote', (caller) => caller('PATCH /v1/members/{userId}', { userId, role: 'owner' })],
    ['remove', (caller) => caller('DELETE /v1/members/{userId}', { userId })],
  ];
}

test('a test key is denied because of its environment, not its authority', async (t) => {
  const app = await harness(t);
  const byAdmin = app.as.token((await app.as.admin(mint, { env: 'test' })).key);
  for (const [name, attempt] of await ownersOwn(app)) {
    for (const caller of [byAdmin, app.as.testKey]) {
      const answer = await refused(attempt(caller), 403, 'forbidden');
      equal(messageOf(answer), 'A test secret key cannot manage live resources.', name);
    }
  }
});

test('a key created by an admin can do what an admin can, but not what only an owner can', async (t) => {
  const app = await harness(t);
  await app.people.owner();
  const key = app.as.token((await app.as.admin(mint, { env: 'live' })).key);
  await key('GET /v1/members');
  await key('PATCH /v1/workspace', { name: 'Renamed' });
  const grandchild = app.as.token((await key(mint, { env: 'live' })).key);
  for (const [name, attempt] of await ownersOwn(app)) {
    for (const caller of [key, grandchild, app.as.admin]) {
      await refused(attempt(caller), 403, 'forbidden').catch((error) => {
        throw new Error(name, { cause: error });
      });
    }
  }
});

test('a key created by an owner, or by an owner’s key, can do what an owner can', async (t) => {
  const app = await harness(t);
  const byOwner = app.as.token((await app.as.owner(mint, { env: 'live' })).key);
  const byKey = app.as.token((await byOwner(mint, { env: 'live' })).key);
  for (const caller of [byOwner, byKey]) {
    for (const [, attempt] of (await ownersOwn(app)).slice(0, 3)) await attempt(caller);
  }
});

test('a rotated key gets the old key’s or the caller’s authority, whichever is lower', async (t) => {
  const app = await harness(t);
  await app.people.owner();
  const [[, attempt] = ['', () => Promise.resolve()]] = await ownersOwn(app);
  const ownersKey = await app.as.owner(mint, { env: 'live' });
  const adminsKey = await app.as.admin(mint, { env: 'live' });
  const rotated = async (by: Caller, { id }: { id: string }) =>
    app.as.token((await by(rotate, { id })).key);

  await attempt(await rotated(app.as.owner, ownersKey));
  const keys = [
    await rotated(app.as.admin, ownersKey),
    await rotated(app.as.owner, adminsKey),
    await rotated(app.as.token(adminsKey.key), ownersKey),
  ];
  for (const key of keys) await refused(attempt(key), 403, 'forbidden');
});

test('a key keeps working with its old authority after its creator is removed', async (t) => {
  const app = await harness(t);
  await app.people.owner();
  const leaving = await newMember(app.testApp, callersOf(app), {
    inviter: app.as.liveKey,
    role: 'admin',
  });
  const key = app.as.token((await leaving.call(mint, { env: 'live' })).key);
  const userId = leaving.userId;
  await app.as.liveKey('PATCH /v1/members/{userId}', { userId, role: 'owner' });
  const [[, attempt] = ['', () => Promise.resolve()]] = await ownersOwn(app);
  await refused(attempt(key), 403, 'forbidden');
  await app.as.liveKey('DELETE /v1/members/{userId}', { userId });
  await key('GET /v1/workspace');
});

test('a workspace’s creator becomes its owner, and it becomes their active workspace if they have none', async (t) => {
  const app = await harness(t);
  const person = await someone(app);
  const made = await person.call(found, named());
  deepEqual(made.membership, { user_id: person.userId, role: 'owner' });
  equal(made.secret_key.env, 'live');
  const me = await person.call('GET /v1/auth/me');
  equal(me.active_workspace_id, made.workspace.id);
  deepEqual(me.memberships, [
    {
      workspace_id: made.workspace.id,
      role: 'owner',
      name: made.workspace.name,
      slug: made.workspace.slug,
    },
  ]);
  await person.call('POST /v1/invites', { email: newAddress(), role: 'member' });
  const logged = (await person.call('GET /v1/audit_logs')).data;
  deepEqual(
    logged
      .slice(0, 3)
      .map(({ action, actor_type, actor_id, payload }) => [action, actor_type, actor_id, payload]),
    [
      ['workspace.created', 'user', person.userId, { slug: made.workspace.slug }],
      ['workspace_member.joined', 'user', person.userId, { role: 'owner', email: person.email }],
      [
        'secret_key.created',
        'user',
        person.userId,
        { env: 'live', display_prefix: made.secret_key.display_prefix },
      ],
    ],
  );
});

test('creating a workspace does not change which workspace is active, regardless of the user’s role in the active one', async (t) => {
  const app = await harness(t);
  for (const role of ['owner', 'admin', 'member'] as const) {
    const { call } = await app.people[role]();
    const { workspace, membership } = await call(found, { ...named(), env: 'test' });
    equal(membership?.role, 'owner', role);
    equal((await call('GET /v1/auth/me')).active_workspace_id, app.workspaceId);
    await call('POST /v1/auth/sessions/current/workspace', { workspace_id: workspace.id });
    await call('POST /v1/invites', { email: newAddress(), role: 'member' });
  }
});

test('of two concurrent requests to create a workspace with the same slug, only one succeeds', async (t) => {
  const app = await harness(t);
  const people = [await someone(app), await someone(app)];
  const input = named();
  const answers = await Promise.all(
    people.map(({ token }) => app.ask(found, input, { authorization: `Bearer ${token}` })),
  );
  deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409]);
  const lost = people[answers.findIndex(({ status }) => status === 409)];
  const me = await lost?.call('GET /v1/auth/me');
  deepEqual([me?.active_workspace_id, me?.memberships], [null, []]);
});
