// The session endpoints: signing in, listing, signing out, and the active workspace.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Harness, harness, messageOf, refused } from '@keyrail/testing/harness.ts';
import {
  callersOf,
  logIn,
  newAddress,
  newMember,
  PASSWORD,
  type Person,
  signUp,
  someone,
} from '@keyrail/testing/people.ts';

const login = 'POST /v1/auth/sessions';
const list = 'GET /v1/auth/sessions';
const endOne = 'DELETE /v1/auth/sessions/{id}';
const endCurrent = 'DELETE /v1/auth/sessions/current';
const move = 'POST /v1/auth/sessions/current/workspace';
const me = 'GET /v1/auth/me';
const workspace = 'GET /v1/workspace';

const UNKNOWN_ID = '01890000-0000-7000-8000-000000000000';
const HOUR_MS = 3_600_000;

const again = (app: Harness, { email }: Person): Promise<Person> => logIn(callersOf(app), email);

const founding = () => ({ name: 'Acme', slug: `sessions-${crypto.randomUUID()}` });

const idOf = async ({ call }: Person): Promise<string> =>
  (await call(list)).data.find(({ current }) => current)?.id ?? '';

const join = (app: Harness, { call, email }: Person, role = 'member') =>
  app.as
    .liveKey('POST /v1/invites', { email, role })
    .then(({ token }) => call('POST /v1/auth/invites/accept', { token }));

test('a login returns the user, the expiry and the token, which is never shown again', async (t) => {
  const app = await harness(t);
  const email = await signUp(callersOf(app));
  const session = await app.as.nobody(login, { email, password: PASSWORD });

  match(session.token, /^krses_[\w-]{43}[0-9a-f]{8}$/);
  equal(session.display_prefix, session.token.slice(0, 12));
  equal(session.active_workspace_id, null);
  deepEqual(session.memberships, []);
  equal(session.user.email, email);
  equal(session.user.email_verified, false);
  equal(session.user.last_login_at, session.created_at);
  const lasts = (until: string) => Date.parse(until) - Date.parse(session.created_at);
  equal(lasts(session.expires_at), 12 * HOUR_MS);
  equal(lasts(session.absolute_expires_at), 30 * 24 * HOUR_MS);

  const listed = await app.as.token(session.token)(list);
  equal(listed.data.length, 1);
  equal(JSON.stringify(listed).includes(session.token), false);
});

test('a session stores the user agent used to sign in, truncated and without unprintable characters', async (t) => {
  const app = await harness(t);
  const email = await signUp(callersOf(app));
  const agents: [string | null, string | null][] = [
    ['Mozilla/5.0 (X11; Linux)', 'Mozilla/5.0 (X11; Linux)'],
    ['caf\xe9\t<b>', 'caf<b>'],
    ['x'.repeat(1000), 'x'.repeat(256)],
    ['', null],
  ];
  for (const [sent, kept] of agents) {
    const headers = { 'user-agent': sent ?? '' };
    const { body } = await app.ask(login, { email, password: PASSWORD }, headers);
    const { data } = await app.as.token(String(body.token))(list);
    equal(data.find(({ current }) => current)?.user_agent, kept);
    equal('user_agent' in body, false);
  }
});

test('live sessions are listed newest first, with the caller’s own marked as current', async (t) => {
  const app = await harness(t);
  const first = await someone(app);
  const second = await again(app, first);
  const third = await again(app, first);
  await someone(app);
  const ids = [await idOf(third), await idOf(second), await idOf(first)];

  const seen = (await second.call(list)).data;
  deepEqual(
    seen.map(({ id }) => id),
    ids,
  );
  deepEqual(
    seen.map(({ current }) => current),
    [false, true, false],
  );
  await third.call(endCurrent);
  app.clock.shift(11 * HOUR_MS);
  await second.call(me);
  app.clock.shift(2 * HOUR_MS);
  deepEqual(
    (await second.call(list)).data.map(({ id }) => id),
    [ids[1]],
    'one session was signed out, one has expired',
  );
});

test('sessions are listed in pages', async (t) => {
  const app = await harness(t);
  const person = await someone(app);
  for (let n = 0; n < 4; n += 1) await again(app, person);
  const all = (await person.call(list)).data.map(({ id }) => id);
  equal(all.length, 5);
  const walked: unknown[] = [];
  let cursor: string | undefined;
  do {
    // Switching the active workspace doesn't invalidate the cursor.
    if (cursor) await person.call('POST /v1/workspaces', founding());
    const query = { limit: 2, ...(cursor && { cursor }) };
    const page = await app.ask(list, query, { authorization: `Bearer ${person.token}` });
    const rows = page.body.data as { id: string }[];
    walked.push(...rows.map(({ id }) => id));
    cursor = /cursor=([^&>]+)/.exec(page.headers.link ?? '')?.[1];
  } while (cursor && walked.length < 10);
  deepEqual(walked, all);
});

test('a signed-out session is rejected on the next request', async (t) => {
  const app = await harness(t);
  const here = await someone(app);
  const there = await again(app, here);
  const id = await idOf(there);
  deepEqual(await here.call(endOne, { id }), { object: 'session', id, revoked: true });
  const answer = await refused(there.call(me), 401, 'invalid_session');
  equal(answer.headers['www-authenticate'], 'Bearer');
  await refused(here.call(endOne, { id }), 404, 'not_found');

  const own = await idOf(here);
  deepEqual(await here.call(endCurrent), { object: 'session', id: own, revoked: true });
  await refused(here.call(me), 401, 'invalid_session');
});

test('another user’s session gets the same response as an unknown ID', async (t) => {
  const app = await harness(t);
  const mine = await someone(app);
  const theirs = await someone(app);
  const id = await idOf(theirs);
  const foreign = await refused(mine.call(endOne, { id }), 404, 'not_found');
  const missing = await refused(mine.call(endOne, { id: UNKNOWN_ID }), 404, 'not_found');
  equal(foreign.text, missing.text);
  equal(messageOf(foreign), 'No such session.');
  await theirs.call(me);
});

test('a user without a workspace can use the account endpoints', async (t) => {
  const app = await harness(t);
  const person = await someone(app);
  const seen = await person.call(me);
  equal(seen.active_workspace_id, null);
  deepEqual(seen.memberships, []);
  await person.call('PATCH /v1/auth/me', { name: 'Ada' });
  await person.call(list);
  await refused(person.call(workspace), 403, 'no_active_workspace');
});

test('a session starts in the requested workspace, or else the last active one, or else the one joined first', async (t) => {
  const one = await harness(t);
  const two = await harness(t);
  const person = await newMember(one.testApp, callersOf(one), {
    inviter: one.as.liveKey,
    role: 'member',
  });
  equal(
    (await join(two, person)).active,
    false,
    'a session with an active workspace is not switched',
  );
  const { email } = person;
  const loggedIn = (input = {}) => one.as.nobody(login, { email, password: PASSWORD, ...input });

  const oldest = await loggedIn();
  equal(oldest.active_workspace_id, one.workspaceId);
  deepEqual(
    oldest.memberships.map(({ workspace_id }) => workspace_id),
    [one.workspaceId, two.workspaceId],
  );
  const requested = await loggedIn({ workspace_id: two.workspaceId });
  equal(requested.active_workspace_id, two.workspaceId);
  equal((await loggedIn()).active_workspace_id, two.workspaceId, 'the last active workspace');
  await person.call(move, { workspace_id: one.workspaceId });
  equal((await loggedIn()).active_workspace_id, one.workspaceId);

  await two.as.liveKey('DELETE /v1/members/{userId}', { userId: person.userId });
  await one.as.liveKey('DELETE /v1/members/{userId}', { userId: person.userId });
  equal((await loggedIn()).active_workspace_id, null);
});

test('signing in to a workspace the user does not belong to gets a 403 only if the password is right', async (t) => {
  const app = await harness(t);
  const { email } = await someone(app);
  const foreign = { email, workspace_id: app.workspaceId };
  const right = app.as.nobody(login, { ...foreign, password: PASSWORD });
  await refused(right, 403, 'forbidden');
  const wrong = app.as.nobody(login, { ...foreign, password: 'not the right password' });
  await refused(wrong, 401, 'invalid_credentials');
  const nobody = { email: newAddress(), workspace_id: app.workspaceId, password: PASSWORD };
  await refused(app.as.nobody(login, nobody), 401, 'invalid_credentials');
});

test('switching workspaces affects only the calling session, which keeps its token', async (t) => {
  const one = await harness(t);
  const two = await harness(t);
  const here = await newMember(one.testApp, callersOf(one), {
    inviter: one.as.liveKey,
    role: 'admin',
  });
  await join(two, here, 'member');
  const there = await again(one, here);
  const moved = await here.call(move, { workspace_id: two.workspaceId });
  deepEqual(moved, {
    object: 'session',
    id: await idOf(here),
    active_workspace_id: two.workspaceId,
  });
  equal((await here.call(workspace)).id, two.workspaceId);
  equal((await there.call(workspace)).id, one.workspaceId);
  await refused(here.call('PATCH /v1/workspace', { name: 'Mine' }), 403, 'forbidden');
  await there.call('PATCH /v1/workspace', { name: 'Mine' });
});

test('a user cannot switch to a workspace that they are not a member of', async (t) => {
  const one = await harness(t);
  const two = await harness(t);
  const person = await newMember(one.testApp, callersOf(one), {
    inviter: one.as.liveKey,
    role: 'owner',
  });
  const moveTo = (workspace_id: string) =>
    refused(person.call(move, { workspace_id }), 403, 'forbidden');
  equal((await moveTo(two.workspaceId)).text, (await moveTo(UNKNOWN_ID)).text);
  equal((await person.call(workspace)).id, one.workspaceId);
});

test('a removed member is denied on the next request, but can switch to another workspace', async (t) => {
  const one = await harness(t);
  const two = await harness(t);
  const person = await newMember(one.testApp, callersOf(one), {
    inviter: one.as.liveKey,
    role: 'admin',
  });
  await join(two, person);
  await person.call('POST /v1/secret_keys', { env: 'test' });
  await one.as.liveKey('DELETE /v1/members/{userId}', { userId: person.userId });

  await refused(person.call(workspace), 403, 'no_active_workspace');
  await refused(person.call('POST /v1/secret_keys', { env: 'test' }), 403, 'no_active_workspace');
  const seen = await person.call(me);
  equal(seen.active_workspace_id, null);
  const activeNow = async () =>
    (await person.call(list)).data.map((each) => each.active_workspace_id);
  deepEqual(await activeNow(), [null], 'the session list shows the same');
  deepEqual(
    seen.memberships.map(({ workspace_id }) => workspace_id),
    [two.workspaceId],
  );
  await person.call(move, { workspace_id: two.workspaceId });
  equal((await person.call(workspace)).id, two.workspaceId);
  deepEqual(await activeNow(), [two.workspaceId]);
  await refused(person.call(move, { workspace_id: one.workspaceId }), 403, 'forbidden');
});

test('each of a user’s sessions has its own token and ID', async (t) => {
  const app = await harness(t);
  const first = await someone(app);
  const second = await again(app, first);
  notEqual(first.token, second.token);
  notEqual(await idOf(first), await idOf(second));
  ok((await second.call(list)).data.every(({ display_prefix }) => display_prefix.length === 12));
});
