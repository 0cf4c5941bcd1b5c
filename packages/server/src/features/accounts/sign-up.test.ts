// Signing up and verifying an address, through the HTTP API and the emails it sends.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Harness, harness, refused } from '@keyrail/testing/harness.ts';
import {
  callersOf,
  logIn,
  mailedToken,
  mailTo,
  newAddress,
  PASSWORD,
  signUp,
  someone,
} from '@keyrail/testing/people.ts';

const create = 'POST /v1/auth/users';
const resend = 'POST /v1/auth/email_verifications';
const verify = 'POST /v1/auth/email_verifications/consume';
const reset = 'POST /v1/auth/password_resets/consume';
const me = 'GET /v1/auth/me';

const kindsTo = async ({ testApp }: Harness, email: string) =>
  (await mailTo(testApp, email)).map(({ kind }) => kind);

test('a new user gets one email, whose link verifies the address', async (t) => {
  const app = await harness(t);
  const email = newAddress();
  const answer = await app.as.nobody(create, { email, password: PASSWORD, name: 'Ada' });
  deepEqual(answer, { object: 'signup', email, accepted: true });

  const [mail, ...more] = await mailTo(app.testApp, email);
  equal(mail?.kind, 'verify_email');
  equal(more.length, 0);
  match(mail?.text ?? '', /http:\/\/keyrail\.test\/verify-email#token=[\w-]{43}\n/);

  const { call } = await logIn(callersOf(app), email);
  equal((await call(me)).user.email_verified, false);
  const token = await mailedToken(app.testApp, email, 'verify_email');
  deepEqual(await app.as.nobody(verify, { token }), {
    object: 'email_verification',
    verified: true,
  });
  equal((await call(me)).user.email_verified, true);
  await refused(app.as.nobody(verify, { token }), 400, 'invalid_token');
});

test('signing up with an already verified address gets the same response, and the owner gets an email', async (t) => {
  const app = await harness(t);
  const { email } = await someone(app);
  const answer = await app.as.nobody(create, { email, password: 'not the password of anyone' });
  deepEqual(answer, { object: 'signup', email, accepted: true });

  deepEqual(await kindsTo(app, email), ['verify_email', 'existing_account']);
  const notice = (await mailTo(app.testApp, email)).at(-1);
  equal(notice?.text.includes('#token='), false);
  await logIn(callersOf(app), email);
  const stolen = { email, password: 'not the password of anyone' };
  await refused(app.as.nobody('POST /v1/auth/sessions', stolen), 401, 'invalid_credentials');
});

test('signing up again with an unverified address emails a reset link that replaces the older link', async (t) => {
  const app = await harness(t);
  const email = await signUp(callersOf(app));
  const older = await mailedToken(app.testApp, email, 'verify_email');
  await app.as.nobody(create, { email, password: 'not the password of anyone' });

  deepEqual(await kindsTo(app, email), ['verify_email', 'existing_account']);
  const notice = (await mailTo(app.testApp, email)).at(-1);
  match(notice?.text ?? '', /http:\/\/keyrail\.test\/reset-password#token=[\w-]{43}\n/);
  const newer = await mailedToken(app.testApp, email, 'existing_account');
  notEqual(newer, older);
  for (const token of [older, newer]) {
    await refused(app.as.nobody(verify, { token }), 400, 'invalid_token');
  }
  await app.as.nobody(reset, { token: newer, password: PASSWORD });
  const { call } = await logIn(callersOf(app), email);
  equal((await call(me)).user.email_verified, true);
});

test('email addresses are stored as first typed and compared case-insensitively', async (t) => {
  const app = await harness(t);
  const typed = newAddress().replace('person', 'Person');
  await signUp(callersOf(app), typed);
  const shouted = typed.toUpperCase();
  const answer = await app.as.nobody(create, { email: shouted, password: PASSWORD });
  equal(answer.email, shouted);

  deepEqual(await kindsTo(app, typed), ['verify_email', 'existing_account']);
  deepEqual(await kindsTo(app, shouted), []);
  const { call } = await logIn(callersOf(app), shouted);
  equal((await call(me)).user.email, typed);
});

test('concurrent sign-ups with the same address create one account and send one email each', async (t) => {
  const app = await harness(t);
  const email = newAddress();
  const AT_ONCE = 12;
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, () => app.ask(create, { email, password: PASSWORD })),
  );
  ok(answers.every(({ status }) => status === 202));
  equal(new Set(answers.map(({ text }) => text)).size, 1);

  const kinds = await kindsTo(app, email);
  equal(kinds.length, AT_ONCE);
  equal(kinds.filter((kind) => kind === 'verify_email').length, 1);
  const tokens = (await mailTo(app.testApp, email)).map(
    ({ text }) => /#token=(\S+)/.exec(text)?.[1] ?? '',
  );
  // Tests the reset token with a common password. If the token is valid, the error is about the
  // password, and the token isn't consumed.
  const asked = tokens.flatMap((token) => [
    app.ask(verify, { token }),
    app.ask(reset, { token, password: 'password1234' }),
  ]);
  const outcomes = await Promise.all(asked);
  const isOpen = ({ status, text }: Answer) => status === 200 || text.includes('invalid_request');
  equal(outcomes.filter(isOpen).length, 1, 'one link is open');
});

test('a new verification link replaces the older one, and a verified user gets no email', async (t) => {
  const app = await harness(t);
  const email = await signUp(callersOf(app));
  const { call } = await logIn(callersOf(app), email);
  const older = await mailedToken(app.testApp, email, 'verify_email');
  deepEqual(await call(resend), { object: 'email_verification', accepted: true });
  const newer = await mailedToken(app.testApp, email, 'verify_email');
  notEqual(newer, older);
  await refused(app.as.nobody(verify, { token: older }), 400, 'invalid_token');
  await app.as.nobody(verify, { token: newer });

  const before = (await mailTo(app.testApp, email)).length;
  deepEqual(await call(resend, {}), { object: 'email_verification', accepted: true });
  equal((await mailTo(app.testApp, email)).length, before);
});

test('a user can set and remove their name', async (t) => {
  const app = await harness(t);
  const { call, userId } = await someone(app);
  const named = await call('PATCH /v1/auth/me', { name: 'Grace' });
  equal(named.object, 'user');
  equal(named.id, userId);
  equal(named.name, 'Grace');
  ok(named.last_login_at);
  equal((await call('PATCH /v1/auth/me', { name: null })).name, null);
  await refused(call('PATCH /v1/auth/me', {}), 400, 'invalid_request');
  await refused(call('PATCH /v1/auth/me', { name: '' }), 400, 'invalid_request');
});

test('a malformed email address is rejected before the password is hashed', async (t) => {
  const { as, testApp } = await harness(t);
  const before = testApp.hasher.runs();
  for (const email of ['', 'ada', 'ada@', '@example.com', 'a b@example.com', 'a\n@example.com']) {
    await refused(as.nobody(create, { email, password: PASSWORD }), 400, 'invalid_request');
  }
  equal(testApp.hasher.runs(), before);
});
