// One-time tokens work once even under concurrent use, only for their purpose, and until they
// expire by the database's clock. Every invalid token gets the same response.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Bench, bench, refused } from '../../../../../tests/bench.ts';
import { appBeside, traced } from '../../../../../tests/beside.ts';
import {
  callersOf,
  logIn,
  mailedToken,
  newAddress,
  PASSWORD,
  signUp,
} from '../../../../../tests/people.ts';

const verify = 'POST /v1/auth/email_verifications/consume';
const ask = 'POST /v1/auth/password_resets';
const reset = 'POST /v1/auth/password_resets/consume';

const RACERS = 50;
const ROUNDS = 4;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const mailedVerification = async (held: Bench): Promise<string> =>
  mailedToken(held.world, await signUp(callersOf(held)), 'verify_email');

async function mailedReset({ as, world }: Bench, email: string): Promise<string> {
  await as.nobody(ask, { email });
  return mailedToken(world, email, 'password_reset');
}

test('of fifty concurrent verifications with one token, exactly one succeeds', async (t) => {
  const held = await bench(t);
  for (let round = 0; round < ROUNDS; round += 1) {
    const token = await mailedVerification(held);
    const answers = await Promise.all(
      Array.from({ length: RACERS }, () => held.ask(verify, { token })),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    deepEqual(statuses, [200, ...Array(RACERS - 1).fill(400)]);
  }
});

test('of fifty concurrent resets with one token, one succeeds and its password works', async (t) => {
  const held = await bench(t);
  const email = await signUp(callersOf(held));
  const { hasher } = held.world;
  const made = new Map<string, Promise<string>>();
  // Each password is hashed once, beforehand, so that the requests really run at the same time.
  const quick = appBeside(t, held.world, {
    hasher: { ...hasher, hash: (password) => made.get(password) ?? hasher.hash(password) },
  });
  const passwords = Array.from({ length: RACERS }, (_, n) => `the password of racer ${n % 4}`);
  for (const password of new Set(passwords)) made.set(password, hasher.hash(password));
  await Promise.all(made.values());
  for (let round = 0; round < ROUNDS; round += 1) {
    const token = await mailedReset(held, email);
    const { call } = await sessionOf(held, email, passwords);
    const outcomes = await Promise.allSettled(
      passwords.map((password) => quick.as(null)(reset, { token, password })),
    );
    const winners = passwords.filter((_, n) => outcomes[n]?.status === 'fulfilled');
    equal(winners.length, 1);
    await held.as.nobody('POST /v1/auth/sessions', { email, password: winners[0] });
    await refused(call('GET /v1/auth/me'), 401, 'invalid_session');
  }
});

/** Logs in with PASSWORD or whichever of these passwords is current. */
async function sessionOf(held: Bench, email: string, passwords: string[]) {
  for (const password of [PASSWORD, ...new Set(passwords)]) {
    const { status, body } = await held.ask('POST /v1/auth/sessions', { email, password });
    if (status === 201) return { call: held.as.token(String(body.token)) };
  }
  throw new Error('no password works');
}

test('a token is consumed by a single statement that checks every condition', async (t) => {
  const held = await bench(t);
  const { db, take } = traced(held.world.db);
  const watched = appBeside(t, held.world, { db });
  const token = await mailedVerification(held);
  take();
  await watched.as(null)(verify, { token });
  const [, first] = take();
  equal(first?.count, 1);
  ok(first?.text.startsWith('update "one_time_tokens"'));
  for (const condition of [
    '"token_hash" =',
    '"purpose" =',
    '"ended_at" is null',
    '"expires_at" >',
  ]) {
    ok(first?.text.includes(condition), condition);
  }
});

test('a token works only for its own purpose', async (t) => {
  const held = await bench(t);
  const email = await signUp(callersOf(held));
  const verification = await mailedToken(held.world, email, 'verify_email');
  const resetting = await mailedReset(held, email);
  await refused(held.as.nobody(verify, { token: resetting }), 400, 'invalid_token');
  const swapped = { token: verification, password: PASSWORD };
  await refused(held.as.nobody(reset, swapped), 400, 'invalid_token');
  const { call } = await logIn(callersOf(held), email);
  for (const token of [verification, resetting]) {
    await refused(call('POST /v1/auth/invites/accept', { token }), 400, 'invalid_token');
  }
  await held.as.nobody(verify, { token: verification });
  await held.as.nobody(reset, { token: resetting, password: PASSWORD });
});

test('a newer reset ends the older one of the same person only', async (t) => {
  const held = await bench(t);
  const email = await signUp(callersOf(held));
  const other = await signUp(callersOf(held));
  const older = await mailedReset(held, email);
  const others = await mailedReset(held, other);
  const newer = await mailedReset(held, email);
  const password = 'another fine password';
  await refused(held.as.nobody(reset, { token: older, password }), 400, 'invalid_token');
  await held.as.nobody(reset, { token: newer, password });
  await held.as.nobody(reset, { token: others, password });
});

test('a verification link lasts a day and a reset link an hour', async (t) => {
  const held = await bench(t);
  const password = 'another fine password';
  const email = await signUp(callersOf(held));
  const early = await mailedVerification(held);
  const late = await mailedVerification(held);
  const expiring = await mailedReset(held, email);
  held.clock.shift(HOUR_MS - MINUTE_MS);
  const inTime = await mailedReset(held, await signUp(callersOf(held)));
  held.clock.shift(2 * MINUTE_MS);
  await refused(held.as.nobody(reset, { token: expiring, password }), 400, 'invalid_token');
  await held.as.nobody(reset, { token: inTime, password });

  held.clock.shift(23 * HOUR_MS - 2 * MINUTE_MS);
  await held.as.nobody(verify, { token: early });
  held.clock.shift(2 * MINUTE_MS);
  await refused(held.as.nobody(verify, { token: late }), 400, 'invalid_token');
});

test('a wrong clock on the API server does not change when a token expires', async (t) => {
  const held = await bench(t);
  const { world } = held;
  const password = 'another fine password';
  for (const byMs of [31 * 24 * HOUR_MS, -31 * 24 * HOUR_MS]) {
    const astray = appBeside(t, world, {
      clock: {
        now: () => new Date(world.clock.now().getTime() + byMs),
        shiftMs: () => world.clock.shiftMs(),
      },
    });
    const email = await signUp(astray.as);
    await astray.as(null)(ask, { email });
    const token = await mailedToken(world, email, 'password_reset');
    const verification = await mailedToken(world, email, 'verify_email');
    await astray.as(null)(verify, { token: verification });
    world.clock.shift(HOUR_MS + MINUTE_MS);
    await refused(astray.as(null)(reset, { token, password }), 400, 'invalid_token');
    world.clock.reset();
    await astray.as(null)(reset, { token, password });
  }
});

test('every kind of invalid token gets the same response, to the byte', async (t) => {
  const held = await bench(t);
  const used = await mailedVerification(held);
  await held.as.nobody(verify, { token: used });
  const email = await signUp(callersOf(held));
  const replaced = await mailedToken(held.world, email, 'verify_email');
  await held.as.nobody('POST /v1/auth/users', { email, password: PASSWORD });
  const resetting = await mailedReset(held, email);
  const expired = await mailedVerification(held);
  held.clock.shift(25 * HOUR_MS);
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
    ...(await Promise.all(wrong.map((token) => held.ask(verify, { token })))),
    ...(await Promise.all(wrong.map((token) => held.ask(reset, { token, password: PASSWORD })))),
  ];
  equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
  equal(
    `${answers[0]?.status} ${answers[0]?.text}`,
    '400 {"error":{"code":"invalid_token","message":"This link or token is invalid, used or expired."}}',
  );
});
