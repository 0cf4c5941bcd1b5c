// A flood of wrong passwords from other clients can't lock a user out on a known client, and the
// responses don't reveal whether an account exists.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { newAddress, PASSWORD, someone } from '@keyrail/testing/people.ts';
import { appBeside, traced } from '@keyrail/testing/second-app.ts';
import { until } from '@keyrail/testing/until.ts';
import { createPasswordHasher } from '../../access/passwords.ts';
import { createThrottle } from '../../access/throttle.ts';

const WRONG = 'not the right password';
const PER_EMAIL_MAX = 10;
const HOME = '192.0.2.1';
const ELSEWHERE = '192.0.2.2';

type Login = { email: string; password: string; from: string };

/**
 * An app whose throttle clock is stopped. `login` returns everything a caller could see or measure.
 */
function scene(t: TestContext, vendor: Harness) {
  const began = vendor.clock.now();
  const { db, take } = traced(vendor.testApp.db);
  const throttle = createThrottle({ now: () => began, shiftMs: () => 0 });
  const { app } = appBeside(t, vendor.testApp, { throttle, db });
  const post = async (url: string, payload: object, remoteAddress: string) => {
    const runs = vendor.testApp.hasher.runs();
    take();
    const { statusCode, body, headers } = await app.http.inject({
      method: 'POST',
      url,
      payload,
      remoteAddress,
    });
    const { 'x-request-id': _id, date: _date, ...rest } = headers;
    const sent = take().map(({ text }) => text);
    return {
      status: statusCode,
      body,
      headers: rest,
      sent,
      runs: vendor.testApp.hasher.runs() - runs,
    };
  };
  const login = ({ email, password, from }: Login) =>
    post('/v1/auth/sessions', { email, password }, from);
  return {
    login,
    reset: (email: string) => post('/v1/auth/password_resets', { email }, HOME),
    /** Tries to sign in from many clients, so that only the limit per email address is reached. */
    async flood(email: string) {
      for (let n = 0; n < PER_EMAIL_MAX; n += 1) {
        await login({ email, password: WRONG, from: `198.51.100.${n}` });
      }
    },
  };
}

test('during a flood of login attempts, the right password still works from a known client', async (t) => {
  const vendor = await harness(t);
  const { login, reset, flood } = scene(t, vendor);
  const { email } = await someone(vendor);
  equal((await login({ email, password: PASSWORD, from: HOME })).status, 201);
  await flood(email);
  equal((await login({ email, password: PASSWORD, from: ELSEWHERE })).status, 429);
  equal((await login({ email, password: WRONG, from: HOME })).status, 429);
  equal((await login({ email, password: PASSWORD, from: HOME })).status, 201);
  equal((await reset(email)).status, 202);
});

test('a wrong password does not reveal whether the account exists, even from a known client', async (t) => {
  const vendor = await harness(t);
  const { login, flood } = scene(t, vendor);
  const { email } = await someone(vendor);
  const unknown = newAddress();
  await login({ email, password: PASSWORD, from: HOME });
  await login({ email: unknown, password: PASSWORD, from: HOME });
  for (const status of [401, 429]) {
    const seen = await login({ email, password: WRONG, from: HOME });
    equal(seen.status, status);
    deepEqual(await login({ email: unknown, password: WRONG, from: HOME }), seen);
    deepEqual(await login({ email, password: WRONG, from: ELSEWHERE }), seen);
    deepEqual(await login({ email: unknown, password: WRONG, from: ELSEWHERE }), seen);
    if (status === 401) for (const each of [email, unknown]) await flood(each);
  }
});

test('failed logins from a known client count towards the email address’s limit', async (t) => {
  const vendor = await harness(t);
  const { login } = scene(t, vendor);
  const { email } = await someone(vendor);
  const unknown = newAddress();
  await login({ email, password: PASSWORD, from: HOME });
  await login({ email: unknown, password: PASSWORD, from: HOME });
  for (let n = 1; n <= PER_EMAIL_MAX; n += 1) {
    const seen = await login({ email, password: WRONG, from: HOME });
    equal(seen.status, n < PER_EMAIL_MAX ? 401 : 429);
    deepEqual(await login({ email: unknown, password: WRONG, from: HOME }), seen);
  }
  for (const each of [email, unknown]) {
    equal((await login({ email: each, password: WRONG, from: ELSEWHERE })).status, 429);
  }
});

test('a login from a known client overtakes most of the 66 logins waiting from 30 networks', async (t) => {
  const vendor = await harness(t);
  const { email } = await someone(vendor);
  const began = vendor.clock.now();
  const { app } = appBeside(t, vendor.testApp, {
    throttle: createThrottle({ now: () => began, shiftMs: () => 0 }),
    hasher: createPasswordHasher(),
  });
  const ended: string[] = [];
  const login = async (who: string, password: string, remoteAddress: string) => {
    const payload = { email: who, password };
    const asked = { method: 'POST', url: '/v1/auth/sessions', payload, remoteAddress } as const;
    const { statusCode } = await app.http.inject(asked);
    ended.push(remoteAddress);
    return statusCode;
  };
  equal(await login(email, PASSWORD, HOME), 201);
  ended.length = 0;
  const flood = Array.from({ length: 66 }, (_, n) =>
    login(newAddress(), WRONG, `198.51.${n % 30}.${n}`),
  );
  await until(async () => ended.length > 0);
  equal(await login(email, PASSWORD, HOME), 201);
  deepEqual(new Set(await Promise.all(flood)), new Set([401]));
  ok(ended.indexOf(HOME) < ended.length / 2, `${ended.indexOf(HOME)}`);
});
