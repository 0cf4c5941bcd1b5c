// A one-time token works only once (even when used concurrently), only for its purpose, and only
// until it expires by the database's clock. All invalid tokens get the same response.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Harness, harness, refused } from '@keyrail/testing/harness.ts';
import {
  callersOf,
  logIn,
  mailedToken,
  newAddress,
  PASSWORD,
  signUp,
} from '@keyrail/testing/people.ts';
import { appBeside, traced } from '@keyrail/testing/second-app.ts';

const verify = 'POST /v1/auth/email_verifications/consume';
const ask = 'POST /v1/auth/password_resets';
const reset = 'POST /v1/auth/password_resets/consume';

const RACERS = 50;
const ROUNDS = 4;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const mailedVerification = async (app: Harness): Promise<string> =>
  mailedToken(app.testApp, await signUp(callersOf(app)), 'verify_email');

async function mailedReset({ as, testApp }: Harness, email: string): Promise<string> {
  await as.nobody(ask, { email });
  return mailedToken(testApp, email, 'password_reset');
}

test('only one of fifty concurrent verifications with the same token succeeds', async (t) => {
  const app = await harness(t);
  for (let round = 0; round < ROUNDS; round += 1) {
    const token = await mailedVerification(app);
    const answers = await Promise.all(
      Array.from({ length: RACERS }, () => app.ask(verify, { token })),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    deepEqual(statuses, [200, ...Array(RACERS - 1).fill(400)]);
  }
});

test('of fifty concurrent resets with the same token, only one succeeds and sets its password', async (t) => {
  const app = await harness(t);
  const email = await signUp(callersOf(app));
  const { hasher } = app.testApp;
  const made = new Map<string, Promise<string>>();
  // The hashes are computed in advance, so that the requests really do overlap.
  const quick = appBeside(t, app.testApp, {
    hasher: {
      ...hasher,
      hash: (password, cause) => made.get(password) ?? hasher.hash(password, cause),
    },
  });
  const passwords = Array.from({ length: RACERS }, (_, n) => `the password of racer ${n % 4}`);
  const cause = { clientAddress: '192.0.2.1', isKnownClient: false };
  for (const password of new Set(passwords)) made.set(password, hasher.hash(password, cause));
  await Promise.all(made.values());
  for (let round = 0; round < ROUNDS; round += 1) {
    const token = await mailedReset(app, email);
    const { call } = await sessionOf(app, email, passwords);
    const outcomes = await Promise.allSettled(
      passwords.map((password) => quick.as(null)(reset, { token, password })),
    );
    const winners = passwords.filter((_, n) => outcomes[n]?.status === 'fulfilled');
    equal(winners.length, 1);
    await app.as.nobody('POST /v1/auth/sessions', { email, password: winners[0] });
    await refused(call('GET /v1/auth/me'), 401, 'invalid_session');
  }
});

/** Logs in, trying PASSWORD and then each of these passwords. */
async function sessionOf(app: Harness, email: string, passwords: string[]) {
  for (const password of [PASSWORD, ...new Set(passwords)]) {
    const { status, body } = await app.ask('POST /v1/auth/sessions', { email, password });
    if (status === 201) return { call: app.as.token(String(body.token)) };
  }
  throw new Error('no password works');
}

test('a token is checked and consumed in a single SQL statement', async (t) => {
  const app = await harness(t);
  const { db, take } = traced(app.testApp.db);
  const watched = appBeside(t, app.testApp, { db });
  const token = await mailedVerification(app);
  take();
  await watched.as(null)(verify, { token });
  const [, first] = take();
  equal(first?.count, 1);
  ok(first?.text.startsWith('update one_time_tokens'));
  for (const condition of ['token_hash =', 'purpose =', 'ended_at is null', 'expires_at >']) {
    ok(first?.text.includes(condition), condition);
  }
});

test('a token works only for its own purpose', async (t) => {
  const app = await harness(t);
  const email = await signUp(callersOf(app));
  const verification = await mailedToken(app.testApp, email, 'verify_email');
  const resetting = await mailedReset(app, email);
  await refused(app.as.nobody(verify, { token: resetting }), 400, 'invalid_token');
  const swapped = { token: verification, password: PASSWORD };
  await refused(app.as.nobody(reset, swapped), 400, 'invalid_token');
  const { call } = await logIn(callersOf(app), email);
  for (const token of [verification, resetting]) {
    await refused(call('POST /v1/auth/invites/accept', { token }), 400, 'invalid_token');
  }
  await app.as.nobody(verify, { token: verification });
  await app.as.nobody(reset, { token: resetting, password: PASSWORD });
});

test("a new reset link replaces only the same user's older ones", async (t) => {
  const app = await harness(t);
  const email = await signUp(callersOf(app));
  const other = await signUp(callersOf(app));
  const older = await mailedReset(app, email);
  const others = await mailedReset(app, other);
  const newer = await mailedReset(app, email);
  const password = 'another fine password';
  await refused(app.as.nobody(reset, { token: older, password }), 400, 'invalid_token');
  await app.as.nobody(reset, { token: newer, password });
  await app.as.nobody(reset, { token: others, password });
});

test('a verification link is valid for a day, and a reset link for an hour', async (t) => {
  const app = await harness(t);
  const password = 'another fine password';
  const email = await signUp(callersOf(app));
  const early = await mailedVerification(app);
  const late = await mailedVerification(app);
  const expiring = await mailedReset(app, email);
  app.clock.shift(HOUR_MS - MINUTE_MS);
  const inTime = await mailedReset(app, await signUp(callersOf(app)));
  app.clock.shift(2 * MINUTE_MS);
  await refused(app.as.nobody(reset, { token: expiring, password }), 400, 'invalid_token');
  await app.as.nobody(reset, { token: inTime, password });

  app.clock.shift(23 * HOUR_MS - 2 * MINUTE_MS);
  await app.as.nobody(verify, { token: early });
  app.clock.shift(2 * MINUTE_MS);
  await refused(app.as.nobody(verify, { token: late }), 400, 'invalid_token');
});

test('an incorrect clock on the API server does not affect when a token expires', async (t) => {
  const app = await harness(t);
  const { testApp } = app;
  const password = 'another fine password';
  for (const byMs of [31 * 24 * HOUR_MS, -31 * 24 * HOUR_MS]) {
    const astray = appBeside(t, testApp, {
      clock: {
        now: () => new Date(testApp.clock.now().getTime() + byMs),
        shiftMs: () => testApp.clock.shiftMs(),
      },
    });
    const email = await signUp(astray.as);
    await astray.as(null)(ask, { email });
    const token = await mailedToken(testApp, email, 'password_reset');
    const verification = await mailedToken(testApp, email, 'verify_email');
    await astray.as(null)(verify, { token: verification });
    testApp.clock.shift(HOUR_MS + MINUTE_MS);
    await refused(astray.as(null)(reset, { token, password }), 400, 'invalid_token');
    testApp.clock.reset();
    await astray.as(null)(reset, { token, password });
  }
});

test('every kind of invalid token gets exactly the same response', async (t) => {
  const app = await harness(t);
  const used = await mailedVerification(app);
  await app.as.nobody(verify, { token: used });
  const email = await signUp(callersOf(app));
  const replaced = await mailedToken(app.testApp, email, 'verify_email');
  await app.as.nobody('POST /v1/auth/users', { email, password: PASSWORD });
  const resetting = await mailedReset(app, email);
  const expired = await mailedVerification(app);
  app.clock.shift(25 * HOUR_MS);
  const wrong = [
    used,
    replaced,
    resetting,
    expired,
    'x',
    'A'.repeat(43),
    newAddress(),
    'é'.repeat(500),
  ];
  const answers = [
    ...(await Promise.all(wrong.map((token) => app.ask(verify, { token })))),
    ...(await Promise.all(wrong.map((token) => app.ask(reset, { token, password: PASSWORD })))),
  ];
  equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
  equal(
    `${answers[0]?.status} ${answers[0]?.text}`,
    '400 {"error":{"code":"invalid_token","message":"This link or token is invalid, has already been used, or has expired."}}',
  );
});
