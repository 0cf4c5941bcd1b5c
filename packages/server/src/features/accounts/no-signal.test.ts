// No request reveals whether an address has an account: either way, the response is the same byte
// for byte, and the server hashes the same number of passwords, runs the same SQL statements and
// throttles in the same way.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import {
  type Answer,
  ask,
  codeOf,
  type Harness,
  harness,
  type Input,
} from '@keyrail/testing/harness.ts';
import {
  callersOf,
  mailTo,
  newAddress,
  PASSWORD,
  signUp,
  someone,
} from '@keyrail/testing/people.ts';
import { appBeside, type Beside, traced } from '@keyrail/testing/second-app.ts';
import { createThrottle, type Throttle } from '../../access/throttle.ts';
import { ApiError } from '../../base/errors.ts';

const create = 'POST /v1/auth/users';
const login = 'POST /v1/auth/sessions';
const reset = 'POST /v1/auth/password_resets';
const WRONG = 'not the right password';

/**
 * The parts of a response that an outsider could compare, plus the password hashes and SQL
 * statements behind it, which affect its timing.
 */
type Seen = { status: number; text: string; headers: object; runs: number; sent: string[] };

type Watch = (line: AnyLine, input: Input) => Promise<Seen>;

async function watching(t: TestContext): Promise<{ watch: Watch; known: Known }> {
  const app = await harness(t);
  const { db, take } = traced(app.testApp.db);
  const watched = appBeside(t, app.testApp, { db });
  const known = {
    nobody: newAddress,
    unverified: () => signUp(callersOf(app)),
    verified: async () => (await someone(app)).email,
  };
  return {
    known,
    watch: async (line, input) => {
      const runs = app.testApp.hasher.runs();
      take();
      const { status, text, headers } = await ask(watched, line, { input, headers: {} });
      const sent = take().map((each) => each.text);
      const {
        'x-request-id': _requestId,
        date: _date,
        'content-length': length,
        ...rest
      } = headers;
      equal(Number(length), Buffer.byteLength(text));
      return {
        status,
        text: text.replaceAll(String(input.email), 'ADDRESS'),
        headers: rest,
        runs: app.testApp.hasher.runs() - runs,
        sent,
      };
    },
  };
}

type Known = Record<'nobody' | 'unverified' | 'verified', () => Promise<string> | string>;

test('signing up looks the same for new, unverified and verified addresses', async (t) => {
  const { watch, known } = await watching(t);
  const first = await watch(create, { email: await known.nobody(), password: PASSWORD });
  for (const email of [await known.unverified(), await known.verified()]) {
    deepEqual(await watch(create, { email, password: WRONG }), first);
  }
  equal(first.status, 202);
  equal(first.runs, 1);
  ok(first.sent.filter((text) => text.includes('mail_outbox')).length === 1);
  deepEqual(
    first.sent.map((text) => /^(?:insert into "?\w+|begin as \w+|commit)/.exec(text)?.[0]),
    [
      'begin as kr_gate',
      'insert into users',
      'insert into void_sign_ups',
      'insert into mail_outbox',
      'commit',
    ],
  );
});

test('a failed login looks the same with and without an account', async (t) => {
  const { watch, known } = await watching(t);
  const first = await watch(login, { email: await known.nobody(), password: PASSWORD });
  const others = [
    await watch(login, { email: await known.unverified(), password: WRONG }),
    await watch(login, { email: await known.verified(), password: WRONG }),
    await watch(login, {
      email: await known.verified(),
      password: WRONG,
      workspace_id: '01890000-0000-7000-8000-000000000000',
    }),
  ];
  for (const other of others) deepEqual(other, first);
  equal(first.status, 401);
  equal(first.runs, 1);
  match(first.text, /"Invalid e-mail address or password\."/);
});

test('requesting a reset looks the same with and without an account', async (t) => {
  const { watch, known } = await watching(t);
  const first = await watch(reset, { email: await known.nobody() });
  for (const email of [await known.unverified(), await known.verified()]) {
    deepEqual(await watch(reset, { email }), first);
  }
  equal(first.status, 202);
  equal(first.runs, 0);
  equal(first.text, '{"object":"password_reset","accepted":true}');
});

test('signing up always sends one email; requesting a reset sends one only if the account exists', async (t) => {
  const app = await harness(t);
  const { email } = await someone(app);
  const unknown = newAddress();
  const count = async (address: string) => (await mailTo(app.testApp, address)).length;
  const before = await count(email);
  await app.as.nobody(create, { email, password: WRONG });
  equal(await count(email), before + 1);
  await app.as.nobody(reset, { email });
  equal(await count(email), before + 2);
  await app.as.nobody(reset, { email: unknown });
  equal(await count(unknown), 0);
  await app.as.nobody(create, { email: unknown, password: PASSWORD });
  equal(await count(unknown), 1);
});

test('a weak password gets the same error whether or not the address has an account', async (t) => {
  const { watch, known } = await watching(t);
  for (const password of ['short', 'qwerty123456']) {
    const unknown = await watch(create, { email: await known.nobody(), password });
    deepEqual(await watch(create, { email: await known.verified(), password }), unknown);
    equal(unknown.runs, 0);
    deepEqual(unknown.sent, []);
  }
});

test('when too many passwords are being hashed, every address gets the same 429', async (t) => {
  const app = await harness(t);
  const isFull = () =>
    Promise.reject(new ApiError('rate_limited', undefined, { headers: { 'retry-after': '2' } }));
  const full = appBeside(t, app.testApp, {
    hasher: { ...app.testApp.hasher, hash: isFull, verify: isFull },
  });
  const { email } = await someone(app);
  for (const line of [login, create] as const) {
    const [known, unknown] = await Promise.all(
      [email, newAddress()].map((each) =>
        ask(full, line, { input: { email: each, password: PASSWORD }, headers: {} }),
      ),
    );
    deepEqual([known?.status, known?.text], [unknown?.status, unknown?.text]);
    deepEqual([known?.status, known?.headers['retry-after']], [429, '2']);
  }
});

const PER_EMAIL_MAX = 10;
const PER_CLIENT_MAX = 120;

/**
 * This throttle's clock advances only when a test advances it, so that no throttling window ends in
 * the middle of a test.
 */
function throttleOf({ clock }: Harness): Throttle {
  const began = clock.now().getTime();
  return createThrottle({ ...clock, now: () => new Date(began + clock.shiftMs()) });
}

const attempt = (beside: Beside, email: string): Promise<Answer> =>
  ask(beside, login, { input: { email, password: WRONG }, headers: {} });

test('guessing the password for one address is throttled, with or without an account', async (t) => {
  const app = await harness(t);
  const throttled = () => appBeside(t, app.testApp, { throttle: throttleOf(app) });
  const tried = async (email: string): Promise<Answer[]> => {
    const beside = throttled();
    const answers: Answer[] = [];
    for (let n = 0; n < PER_EMAIL_MAX; n += 1) answers.push(await attempt(beside, email));
    const runs = app.testApp.hasher.runs();
    answers.push(await attempt(beside, email.toUpperCase()));
    equal(app.testApp.hasher.runs(), runs, 'a rejected attempt hashes nothing');
    equal((await attempt(beside, newAddress())).status, 401, 'another address is not throttled');
    return answers;
  };
  const known = await tried((await someone(app)).email);
  const unknown = await tried(newAddress());
  deepEqual(
    known.map(({ status, text }) => [status, text]),
    unknown.map(({ status, text }) => [status, text]),
  );
  deepEqual(
    unknown.map(({ status }) => status),
    [...Array(PER_EMAIL_MAX).fill(401), 429],
  );
  const [last] = unknown.slice(-1);
  equal(last && codeOf(last), 'rate_limited');
  ok(Number(last?.headers['retry-after']) >= 1 && Number(last?.headers['retry-after']) <= 60);
});

test('sign-ups, logins and resets are throttled independently, each for one minute', async (t) => {
  const app = await harness(t);
  const beside = appBeside(t, app.testApp, { throttle: throttleOf(app) });
  const { email } = await someone(app);
  const statusOf = async (line: AnyLine, input: Input): Promise<number> => {
    const { status, headers } = await ask(beside, line, { input, headers: {} });
    if (status === 429) notEqual(headers['retry-after'], undefined);
    return status;
  };
  const asked: [AnyLine, Input, number][] = [
    [login, { email, password: WRONG }, 401],
    [create, { email, password: PASSWORD }, 202],
    [reset, { email }, 202],
  ];
  for (const [line, input, expected] of asked) {
    for (let n = 0; n < PER_EMAIL_MAX; n += 1) equal(await statusOf(line, input), expected, line);
    equal(await statusOf(line, input), 429, line);
  }
  equal(await statusOf(login, { email, password: PASSWORD }), 429);
  app.clock.shift(60_000);
  await beside.as(null)(login, { email, password: PASSWORD });
});

test('one-time token guesses are throttled per client IP address', async (t) => {
  const app = await harness(t);
  const beside = appBeside(t, app.testApp, { throttle: throttleOf(app) });
  const guess = (url: string, remoteAddress: string) =>
    beside.app.http.inject({
      method: 'POST',
      url,
      payload: { token: 'guessed' },
      remoteAddress,
    });
  const urls = ['/v1/auth/email_verifications/consume', '/v1/auth/invites/preview'];
  for (const [at, url] of urls.entries()) {
    const address = `192.0.2.${at}`;
    const statuses: number[] = [];
    for (let n = 0; n <= PER_CLIENT_MAX; n += 1)
      statuses.push((await guess(url, address)).statusCode);
    deepEqual(statuses, [...Array(PER_CLIENT_MAX).fill(400), 429]);
    equal((await guess(url, '192.0.2.200')).statusCode, 400);
  }
});
