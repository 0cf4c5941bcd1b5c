// Invitations: each has two tokens but can be accepted only once. All invalid tokens get the same
// error.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Harness, harness, messageOf, refused } from '@keyrail/testing/harness.ts';
import {
  callersOf,
  logIn,
  mailedToken,
  mailTo,
  newAddress,
  type Person,
  signUp,
  someone,
} from '@keyrail/testing/people.ts';

const invite = 'POST /v1/invites';
const list = 'GET /v1/invites';
const revoke = 'POST /v1/invites/{id}/revoke';
const accept = 'POST /v1/auth/invites/accept';
const me = 'GET /v1/auth/me';
const DAY_MS = 86_400_000;

const unverified = async (app: Harness): Promise<Person> =>
  logIn(callersOf(app), await signUp(callersOf(app)));

const headOf = async ({ as }: Harness): Promise<number> =>
  (await as.liveKey('GET /v1/audit_logs/chain')).head_seq;

test('an invitation token is shown only once, and the email contains a different one', async (t) => {
  const app = await harness(t);
  const owner = await app.people.owner();
  const email = newAddress();
  const { token, token_shown_once, ...made } = await app.as.owner(invite, {
    email,
    role: 'admin',
  });

  ok(token_shown_once);
  match(token, new RegExp(`^${app.workspaceId}\\.[\\w-]{43}$`));
  deepEqual(
    [made.email, made.role, made.invited_by, made.accepted_at, made.revoked_at],
    [email, 'admin', owner.userId, null, null],
  );
  equal(Date.parse(made.expires_at) - Date.parse(made.created_at), 7 * DAY_MS);
  const [mail, ...more] = await mailTo(app.testApp, email);
  deepEqual([mail?.kind, more.length], ['invite', 0]);
  ok(mail?.text.includes(`${owner.email} has invited you to join Acme as an admin.`));
  const mailed = await mailedToken(app.testApp, email, 'invite');
  match(mailed, new RegExp(`^${app.workspaceId}\\.[\\w-]{43}$`));
  notEqual(mailed, token);

  const [listed] = (await app.as.liveKey(list)).data;
  deepEqual(listed, made);
});

test('an invitation sent with a secret key does not mention an inviter', async (t) => {
  const app = await harness(t);
  const email = newAddress();
  equal((await app.as.liveKey(invite, { email, role: 'member' })).invited_by, null);
  const [mail] = await mailTo(app.testApp, email);
  ok(mail?.text.startsWith('You’ve been invited to join Acme as a member.'));
});

test('a verified account can accept an invitation sent to any address, and is switched to that workspace', async (t) => {
  const app = await harness(t);
  const { call, userId } = await someone(app);
  const { id, token } = await app.as.owner(invite, { email: newAddress(), role: 'admin' });
  deepEqual(await call(accept, { token }), {
    object: 'workspace_member',
    workspace_id: app.workspaceId,
    user_id: userId,
    role: 'admin',
    active: true,
  });
  equal((await call(me)).active_workspace_id, app.workspaceId);
  const [listed] = (await call(list)).data;
  deepEqual([listed?.id, typeof listed?.accepted_at], [id, 'string']);
});

test('the emailed token verifies the invited address’s account', async (t) => {
  const app = await harness(t);
  const person = await unverified(app);
  await app.as.owner(invite, { email: person.email.toUpperCase(), role: 'member' });
  const mailed = await mailedToken(app.testApp, person.email.toUpperCase(), 'invite');
  equal((await person.call(me)).user.email_verified, false);
  await person.call(accept, { token: mailed });
  equal((await person.call(me)).user.email_verified, true);
});

test('an unverified account can accept only with the token emailed to its address', async (t) => {
  const app = await harness(t);
  const person = await unverified(app);
  const { token } = await app.as.owner(invite, { email: person.email, role: 'member' });
  const other = newAddress();
  await app.as.owner(invite, { email: other, role: 'member' });
  const othersMail = await mailedToken(app.testApp, other, 'invite');
  const before = await headOf(app);
  for (const credential of [token, othersMail]) {
    const answer = await refused(
      person.call(accept, { token: credential }),
      403,
      'email_unverified',
    );
    equal(messageOf(answer), 'Verify your email address first.');
  }
  equal(await headOf(app), before);
  equal((await person.call(me)).user.email_verified, false);
  // A rejected attempt doesn't use up a token: both tokens still work.
  await (await someone(app)).call(accept, { token });
  await (await someone(app)).call(accept, { token: othersMail });
});

test('both tokens are invalid once the invitation is accepted', async (t) => {
  const app = await harness(t);
  const email = newAddress();
  const { token } = await app.as.owner(invite, { email, role: 'member' });
  const mailed = await mailedToken(app.testApp, email, 'invite');
  await (await someone(app)).call(accept, { token: mailed });
  const late = await someone(app);
  for (const used of [token, mailed]) {
    await refused(late.call(accept, { token: used }), 400, 'invalid_token');
  }
});

test('a member who accepts another invitation keeps their role, and the invitation stays open', async (t) => {
  const app = await harness(t);
  const { call, userId } = await app.people.owner();
  const { id, token } = await app.as.liveKey(invite, { email: newAddress(), role: 'member' });
  await refused(call(accept, { token }), 409, 'conflict');
  const owner = (await call('GET /v1/members')).data.find(({ user_id }) => user_id === userId);
  equal(owner?.role, 'owner');
  equal((await call(list)).data.find((each) => each.id === id)?.accepted_at, null);
  await (await someone(app)).call(accept, { token });
});

test('a user who accepts two invitations concurrently joins only once', async (t) => {
  const app = await harness(t);
  for (let round = 0; round < 5; round += 1) {
    const { call, email, userId, token } = await someone(app);
    const roles = ['admin', 'member'];
    const tokens: string[] = [];
    for (const role of roles) tokens.push((await app.as.liveKey(invite, { email, role })).token);
    const answers = await Promise.all(
      tokens.map((each) => app.ask(accept, { token: each }, { authorization: `Bearer ${token}` })),
    );
    deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409]);
    const won = answers.findIndex(({ status }) => status === 200);
    const mine = (await call('GET /v1/members')).data.filter(({ user_id }) => user_id === userId);
    deepEqual(
      mine.map(({ role }) => role),
      [roles[won]],
    );
  }
});

test('of 50 concurrent attempts to accept the same invitation, only one succeeds', async (t) => {
  const RACERS = 50;
  const app = await harness(t);
  const people = [await someone(app), await someone(app), await someone(app)];
  for (let round = 0; round < 3; round += 1) {
    const email = newAddress();
    const { token } = await app.as.liveKey(invite, { email, role: 'member' });
    const mailed = await mailedToken(app.testApp, email, 'invite');
    const before = (await app.as.liveKey('GET /v1/members')).data.length;
    const racer = (n: number) => people[n % people.length] as Person;
    const answers = await Promise.all(
      Array.from({ length: RACERS }, (_, n) =>
        app.ask(
          accept,
          { token: n % 2 === 0 ? token : mailed },
          { authorization: `Bearer ${racer(n).token}` },
        ),
      ),
    );
    equal(answers.filter(({ status }) => status === 200).length, 1);
    ok(answers.every(({ status }) => status === 200 || status === 400));
    const members = (await app.as.liveKey('GET /v1/members')).data;
    equal(members.length, before + 1);
    for (const { user_id: userId } of members) {
      await app.as.liveKey('DELETE /v1/members/{userId}', { userId });
    }
  }
});

test('a revoked invitation cannot be accepted or revoked again', async (t) => {
  const app = await harness(t);
  const { id, token } = await app.as.owner(invite, { email: newAddress(), role: 'member' });
  const revoked = await app.as.owner(revoke, { id });
  ok(revoked.revoked_at);
  equal('token' in revoked, false);
  const before = await headOf(app);
  deepEqual(await app.as.owner(revoke, { id }), revoked);
  equal(await headOf(app), before);
  await refused((await someone(app)).call(accept, { token }), 400, 'invalid_token');
});

test('revoking fails for an accepted invitation, and leaves an expired one unchanged', async (t) => {
  const app = await harness(t);
  const accepted = await app.as.liveKey(invite, { email: newAddress(), role: 'member' });
  await (await someone(app)).call(accept, { token: accepted.token });
  const expired = await app.as.liveKey(invite, { email: newAddress(), role: 'member' });
  await refused(app.as.liveKey(revoke, { id: accepted.id }), 409, 'conflict');

  app.clock.shift(7 * DAY_MS + 1000);
  const before = await headOf(app);
  equal((await app.as.liveKey(revoke, { id: expired.id })).revoked_at, null);
  equal(await headOf(app), before);
  const late = await someone(app);
  await refused(late.call(accept, { token: expired.token }), 400, 'invalid_token');
});

test('every invalid invitation token gets exactly the same response', async (t) => {
  const app = await harness(t);
  const other = await harness(t);
  const { call, token: session } = await someone(app);
  const open = await app.as.liveKey(invite, { email: newAddress(), role: 'member' });
  const revoked = await app.as.liveKey(invite, { email: newAddress(), role: 'member' });
  await app.as.liveKey(revoke, { id: revoked.id });
  const [, secret] = open.token.split('.');
  const wrong = [
    revoked.token,
    `${other.workspaceId}.${secret}`,
    `01890000-0000-7000-8000-000000000000.${secret}`,
    `${app.workspaceId}.${'A'.repeat(43)}`,
    `${open.token}A`,
    open.token.toUpperCase(),
    open.token.slice(0, -1),
    secret ?? '',
    app.workspaceId,
    "' or true --",
  ];
  const before = [await headOf(app), await headOf(other)];
  const authorization = `Bearer ${session}`;
  const answers = await Promise.all(
    wrong.map((token) => app.ask(accept, { token }, { authorization })),
  );
  equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
  equal(answers[0]?.status, 400);
  deepEqual([await headOf(app), await headOf(other)], before);
  await call(accept, { token: open.token });
});

test('listing invitations by ID returns them in any state', async (t) => {
  const app = await harness(t);
  const { as } = app;
  const sent = (by = as) => by.liveKey(invite, { email: newAddress(), role: 'member' });
  const open = await sent();
  const revoked = await sent();
  await sent(); // not requested
  await as.liveKey(revoke, { id: revoked.id });
  const stranger = await sent((await harness(t)).as);
  const id = [open.id, revoked.id, stranger.id, app.workspaceId];
  const found = async (query: object) =>
    (await as.liveKey(list, { ...query })).data.map((one) => one.id);
  deepEqual(await found({ id }), [revoked.id, open.id]);
  deepEqual(await found({ id, limit: 1 }), [revoked.id]);
  const tooMany = Array.from({ length: 101 }, () => open.id);
  await refused(as.liveKey(list, { id: tooMany }), 400, 'invalid_request');
  await refused(as.testKey(list, { id }), 403, 'forbidden');
});
