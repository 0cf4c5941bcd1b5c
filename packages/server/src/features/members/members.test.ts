// A workspace's members: lists, roles, removals, and the rule that at least one owner remains.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Harness, harness, messageOf, refused } from '@keyrail/testing/harness.ts';
import { callersOf, newMember, type Person, someone } from '@keyrail/testing/people.ts';

const list = 'GET /v1/members';
const change = 'PATCH /v1/members/{userId}';
const remove = 'DELETE /v1/members/{userId}';
const workspace = 'GET /v1/workspace';
const LAST_OWNER = 'A workspace needs at least one owner. Make another member an owner first.';
const UNKNOWN_ID = '01890000-0000-7000-8000-000000000000';

type Role = 'owner' | 'admin' | 'member';

const joined = (app: Harness, role: Role): Promise<Person> =>
  newMember(app.testApp, callersOf(app), { inviter: app.as.liveKey, role });

const rolesIn = async ({ as }: Harness): Promise<Record<string, string>> =>
  Object.fromEntries((await as.liveKey(list)).data.map(({ user_id, role }) => [user_id, role]));

const actionsIn = async ({ as }: Harness): Promise<string[]> =>
  (await as.liveKey('GET /v1/audit_logs')).data.map(({ action }) => action);

test('members are listed with their email address and role, longest-standing first', async (t) => {
  const app = await harness(t);
  const people = [
    await joined(app, 'owner'),
    await joined(app, 'admin'),
    await joined(app, 'member'),
  ];
  for (const { call } of people) {
    const seen = (await call(list)).data;
    deepEqual(
      seen.map(({ user_id, email, role }) => [user_id, email, role]),
      people.map(({ userId, email }, n) => [userId, email, ['owner', 'admin', 'member'][n]]),
    );
    ok(seen.every(({ object, email_verified }) => object === 'workspace_member' && email_verified));
  }
  deepEqual((await app.as.liveKey(list, { limit: 2 })).data.length, 2);
});

test('a role change takes effect on the member’s next request', async (t) => {
  const app = await harness(t);
  await app.people.owner();
  const person = await joined(app, 'member');
  const { userId } = person;
  await refused(person.call('POST /v1/secret_keys', { env: 'test' }), 403, 'forbidden');

  const admin = await app.as.owner(change, { userId, role: 'admin' });
  equal(admin.role, 'admin');
  ok(admin.updated_at >= admin.created_at);
  await person.call('POST /v1/secret_keys', { env: 'test' });
  await refused(person.call(change, { userId, role: 'owner' }), 403, 'forbidden');

  await app.as.owner(change, { userId, role: 'owner' });
  await person.call(change, { userId: (await app.people.owner()).userId, role: 'member' });
  await refused(app.as.owner(change, { userId, role: 'member' }), 403, 'forbidden');
  await person.call('POST /v1/invites', { email: 'a@example.com', role: 'member' });
});

test('setting the same role again changes nothing and is not audited', async (t) => {
  const app = await harness(t);
  const { userId } = await joined(app, 'owner');
  const before = await actionsIn(app);
  const first = await app.as.liveKey(change, { userId, role: 'owner' });
  equal(first.role, 'owner', 'setting the last owner to owner again is allowed');
  deepEqual(await actionsIn(app), before);
});

test('role changes and removals are audited', async (t) => {
  const app = await harness(t);
  const { userId } = await joined(app, 'member');
  await app.as.owner(change, { userId, role: 'admin' });
  await app.as.owner(remove, { userId });
  const [changed, removed] = (await app.as.liveKey('GET /v1/audit_logs')).data.slice(-2);
  equal(changed?.action, 'workspace_member.role_changed');
  deepEqual(changed?.payload, { from: 'member', to: 'admin' });
  equal(removed?.action, 'workspace_member.removed');
  deepEqual([removed?.target_id, removed?.actor_type], [userId, 'user']);
  equal(removed?.actor_id, (await app.people.owner()).userId);
});

test('a former member, or a user who was never a member, is not found', async (t) => {
  const app = await harness(t);
  const other = await harness(t);
  const foreign = await joined(other, 'member');
  const gone = await joined(app, 'member');
  await app.as.liveKey(remove, { userId: gone.userId });
  const answers: string[] = [];
  for (const userId of [foreign.userId, gone.userId, UNKNOWN_ID, (await someone(app)).userId]) {
    answers.push((await refused(app.as.liveKey(remove, { userId }), 404, 'not_found')).text);
    const promoting = app.as.liveKey(change, { userId, role: 'owner' });
    answers.push((await refused(promoting, 404, 'not_found')).text);
  }
  equal(new Set(answers).size, 1);
  match(answers[0] ?? '', /No such member\./);
  await foreign.call(workspace);
});

test('a removed member can be invited again, with a different role', async (t) => {
  const app = await harness(t);
  const person = await joined(app, 'admin');
  await app.as.owner(remove, { userId: person.userId });
  await refused(person.call(workspace), 403, 'no_active_workspace');
  const { token } = await app.as.owner('POST /v1/invites', {
    email: person.email,
    role: 'member',
  });
  const back = await person.call('POST /v1/auth/invites/accept', { token });
  deepEqual([back.role, back.active], ['member', true]);
  await person.call(workspace);
  equal((await rolesIn(app))[person.userId], 'member');
});

test('the last owner can be neither removed nor demoted', async (t) => {
  const app = await harness(t);
  const { userId, call } = await app.people.owner();
  await joined(app, 'admin');
  const before = await actionsIn(app);
  for (const caller of [call, app.as.liveKey]) {
    for (const role of ['admin', 'member']) {
      const answer = await refused(caller(change, { userId, role }), 409, 'conflict');
      equal(messageOf(answer), LAST_OWNER);
    }
    equal(messageOf(await refused(caller(remove, { userId }), 409, 'conflict')), LAST_OWNER);
  }
  deepEqual(await actionsIn(app), before);
  const second = await joined(app, 'owner');
  await call(remove, { userId });
  await refused(call(list), 403, 'no_active_workspace');
  await refused(second.call(remove, { userId: second.userId }), 409, 'conflict');
});

test('when two owners demote each other concurrently, one remains an owner', async (t) => {
  const ROUNDS = 8;
  const app = await harness(t);
  const one = await joined(app, 'owner');
  const two = await joined(app, 'owner');
  for (let round = 0; round < ROUNDS; round += 1) {
    const demote = (by: Person, { userId }: Person) => by.call(change, { userId, role: 'admin' });
    const outcomes = await Promise.allSettled([demote(one, two), demote(two, one)]);
    equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    const roles = Object.values(await rolesIn(app));
    equal(roles.filter((role) => role === 'owner').length, 1);
    for (const { userId } of [one, two]) await app.as.liveKey(change, { userId, role: 'owner' });
  }
});

test('when all owners are removed or demoted concurrently, one remains an owner', async (t) => {
  const OWNERS = 6;
  const app = await harness(t);
  const owners: Person[] = [];
  for (let n = 0; n < OWNERS; n += 1) owners.push(await joined(app, 'owner'));
  const outcomes = await Promise.all(
    owners.map(({ userId }, n) => {
      const line = n % 2 === 0 ? change : remove;
      const input = { userId, ...(line === change && { role: 'member' }) };
      return app.ask(line, input, { authorization: `Bearer ${app.tokens.liveKey}` });
    }),
  );
  const statuses = outcomes.map(({ status }) => status).toSorted();
  deepEqual(statuses, [...Array(OWNERS - 1).fill(200), 409]);
  const roles = Object.values(await rolesIn(app));
  equal(roles.filter((role) => role === 'owner').length, 1);
  ok((await app.as.liveKey('GET /v1/audit_logs/chain')).verified);
});

test('listing members by ID includes former members', async (t) => {
  const app = await harness(t);
  const { as } = app;
  const owner = await app.people.owner();
  const former = await joined(app, 'admin');
  const back = await joined(app, 'admin');
  await joined(app, 'member'); // not requested
  for (const { userId } of [former, back]) await as.owner(remove, { userId });
  const { token } = await as.owner('POST /v1/invites', { email: back.email, role: 'member' });
  await back.call('POST /v1/auth/invites/accept', { token });
  const stranger = await (await harness(t)).people.owner();
  const id = [back, former, owner, stranger, former].map(({ userId }) => userId);

  const { data } = await as.liveKey(list, { id });
  deepEqual(
    data.map((one) => [one.user_id, one.email, one.role, one.removed_at !== undefined]),
    [
      [owner.userId, owner.email, 'owner', false],
      [former.userId, former.email, 'admin', true],
      [back.userId, back.email, 'member', false],
    ],
  );
  const listed = await as.liveKey(list);
  ok(listed.data.every((one) => one.removed_at === undefined && one.user_id !== former.userId));
  deepEqual((await as.liveKey(list, { id, limit: 1 })).data, data.slice(0, 1));
  deepEqual((await as.liveKey(list, { id: stranger.userId })).data, []);
  const tooMany = Array.from({ length: 101 }, () => owner.userId);
  await refused(as.liveKey(list, { id: tooMany }), 400, 'invalid_request');
  await refused(as.testKey(list, { id }), 403, 'forbidden');
});
