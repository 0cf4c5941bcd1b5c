// Authority never grows: a secret key has at most the authority of its creator, also when keys
// create keys and after a rotation. The founder of a workspace owns that workspace only.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { type Bench, bench, type Caller, messageOf, refused } from '../../../../../tests/bench.ts';
import { callersOf, newAddress, newMember, someone } from '../../../../../tests/people.ts';

const mint = 'POST /v1/secret_keys';
const rotate = 'POST /v1/secret_keys/{id}/rotate';
const found = 'POST /v1/workspaces';

let founded = 0;

const named = () => {
  founded += 1;
  return { name: 'Own', slug: `own-${process.pid}-${founded}` };
};

/** The four mutations that only an owner may do; each would succeed for an owner. */
async function ownersOwn(held: Bench): Promise<[string, (caller: Caller) => Promise<unknown>][]> {
  const { userId } = await held.people.member();
  const invited = { email: newAddress(), role: 'owner' };
  const { id } = await held.as.liveKey('POST /v1/invites', invited);
  return [
    ['invite', (caller) => caller('POST /v1/invites', invited)],
    ['revoke', (caller) => caller('POST /v1/invites/{id}/revoke', { id })],
    ['promote', (caller) => caller('PATCH /v1/members/{userId}', { userId, role: 'owner' })],
    ['remove', (caller) => caller('DELETE /v1/members/{userId}', { userId })],
  ];
}

test('a test key is refused because of its environment, not because of its authority', async (t) => {
  const held = await bench(t);
  const byAdmin = held.as.token((await held.as.admin(mint, { env: 'test' })).key);
  for (const [name, attempt] of await ownersOwn(held)) {
    for (const caller of [byAdmin, held.as.testKey]) {
      const answer = await refused(attempt(caller), 403, 'forbidden');
      equal(messageOf(answer), 'A test secret key cannot manage live resources.', name);
    }
  }
});

test('a key created by an admin can do what an admin can, but not what only an owner can', async (t) => {
  const held = await bench(t);
  await held.people.owner();
  const key = held.as.token((await held.as.admin(mint, { env: 'live' })).key);
  await key('GET /v1/members');
  await key('PATCH /v1/workspace', { name: 'Renamed' });
  const grandchild = held.as.token((await key(mint, { env: 'live' })).key);
  for (const [name, attempt] of await ownersOwn(held)) {
    for (const caller of [key, grandchild, held.as.admin]) {
      await refused(attempt(caller), 403, 'forbidden').catch((error) => {
        throw new Error(name, { cause: error });
      });
    }
  }
});

test('a key created by an owner or an owner’s key can do what an owner can', async (t) => {
  const held = await bench(t);
  const byOwner = held.as.token((await held.as.owner(mint, { env: 'live' })).key);
  const byKey = held.as.token((await byOwner(mint, { env: 'live' })).key);
  for (const caller of [byOwner, byKey]) {
    for (const [, attempt] of (await ownersOwn(held)).slice(0, 3)) await attempt(caller);
  }
});

test('a rotated key gets the lower authority of the old key and the caller', async (t) => {
  const held = await bench(t);
  await held.people.owner();
  const [[, attempt] = ['', () => Promise.resolve()]] = await ownersOwn(held);
  const ownersKey = await held.as.owner(mint, { env: 'live' });
  const adminsKey = await held.as.admin(mint, { env: 'live' });
  const rotated = async (by: Caller, { id }: { id: string }) =>
    held.as.token((await by(rotate, { id })).key);

  await attempt(await rotated(held.as.owner, ownersKey));
  const keys = [
    await rotated(held.as.admin, ownersKey),
    await rotated(held.as.owner, adminsKey),
    await rotated(held.as.token(adminsKey.key), ownersKey),
  ];
  for (const key of keys) await refused(attempt(key), 403, 'forbidden');
});

test('a key keeps working with its authority after its creator was removed', async (t) => {
  const held = await bench(t);
  await held.people.owner();
  const leaving = await newMember(held.world, callersOf(held), {
    inviter: held.as.liveKey,
    role: 'admin',
  });
  const key = held.as.token((await leaving.call(mint, { env: 'live' })).key);
  const userId = leaving.userId;
  await held.as.liveKey('PATCH /v1/members/{userId}', { userId, role: 'owner' });
  const [[, attempt] = ['', () => Promise.resolve()]] = await ownersOwn(held);
  await refused(attempt(key), 403, 'forbidden');
  await held.as.liveKey('DELETE /v1/members/{userId}', { userId });
  await key('GET /v1/workspace');
});

test('the founder of a workspace owns it, and it becomes the active one if there was none', async (t) => {
  const held = await bench(t);
  const person = await someone(held);
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

test('founding a workspace does not change the active workspace, for any role there', async (t) => {
  const held = await bench(t);
  for (const role of ['owner', 'admin', 'member'] as const) {
    const { call } = await held.people[role]();
    const { workspace, membership } = await call(found, { ...named(), env: 'test' });
    equal(membership?.role, 'owner', role);
    equal((await call('GET /v1/auth/me')).active_workspace_id, held.workspaceId);
    await call('POST /v1/auth/sessions/current/workspace', { workspace_id: workspace.id });
    await call('POST /v1/invites', { email: newAddress(), role: 'member' });
  }
});

test('of two concurrent workspaces with the same slug, one is created and one refused', async (t) => {
  const held = await bench(t);
  const people = [await someone(held), await someone(held)];
  const input = named();
  const answers = await Promise.all(
    people.map(({ token }) => held.ask(found, input, { authorization: `Bearer ${token}` })),
  );
  deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409]);
  const lost = people[answers.findIndex(({ status }) => status === 409)];
  const me = await lost?.call('GET /v1/auth/me');
  deepEqual([me?.active_workspace_id, me?.memberships], [null, []]);
});
