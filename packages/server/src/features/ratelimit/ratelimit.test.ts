// The rate-limit endpoint, with counters in memory.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Harness, harness, type Input, refused } from '@keyrail/testing/harness.ts';
import { appBeside, traced } from '@keyrail/testing/second-app.ts';

const check = 'POST /v1/ratelimit/check';
const MINUTE_MS = 60_000;

const rule = (id: string, more: Input = {}): Input => ({
  id,
  limit: 3,
  window_ms: MINUTE_MS,
  algorithm: 'sliding',
  scope: 'key',
  ...more,
});

/** The input for a check with these limits, for a new key and tenant. */
const aCheck = (limits: Input[], more: Input = {}) => ({
  project_id: randomUUID(),
  env: 'live',
  key_id: randomUUID(),
  tenant_id: randomUUID(),
  limits,
  ...more,
});

const allowed = async ({ as }: Harness, input: Input) => (await as.liveKey(check, input)).allowed;

test('a check returns the remaining units, the reset time and the denying rule, and a denial is still a 200', async (t) => {
  const { as } = await harness(t);
  const input = aCheck([rule('three'), rule('many', { limit: 100, window_ms: 1000 })]);
  const first = await as.liveKey(check, input);
  deepEqual(
    first.policies.map(({ id, limit, window_ms, remaining }) => [id, limit, window_ms, remaining]),
    [
      ['three', 3, MINUTE_MS, 2],
      ['many', 100, 1000, 99],
    ],
  );
  deepEqual(
    { ...first, policies: [] },
    {
      object: 'ratelimit_result',
      allowed: true,
      limited_policy: null,
      retry_after_seconds: null,
      store: 'memory',
      policies: [],
    },
  );
  ok(first.policies.every(({ window_ms, reset_ms }) => reset_ms > window_ms * 0.9));
  ok(first.policies.every(({ window_ms, reset_ms }) => reset_ms <= window_ms * 1.0625 + 16));

  await as.liveKey(check, { ...input, cost: 2 });
  const denied = await as.liveKey(check, input);
  equal(denied.allowed, false);
  equal(denied.limited_policy, 'three');
  ok(Number(denied.retry_after_seconds) >= 60 && Number(denied.retry_after_seconds) <= 64);
  equal(denied.policies[0]?.remaining, 0);
});

test('either all rules are charged or none, and a cost of 0 charges nothing', async (t) => {
  const { as } = await harness(t);
  const input = aCheck([rule('wide', { limit: 10 }), rule('narrow', { limit: 1 })]);
  const looked = await as.liveKey(check, { ...input, cost: 0 });
  equal(looked.allowed, true);
  deepEqual(
    looked.policies.map(({ remaining, reset_ms }) => [remaining, reset_ms]),
    [
      [10, 0],
      [1, 0],
    ],
  );
  await as.liveKey(check, input);
  const denied = await as.liveKey(check, input);
  deepEqual(
    denied.policies.map(({ remaining }) => remaining),
    [9, 0],
  );
  const again = await as.liveKey(check, { ...input, cost: 0 });
  equal(again.allowed, true, 'cost 0 is never denied');
  deepEqual(
    again.policies.map(({ remaining }) => remaining),
    [9, 0],
  );
});

test('if a check costs more than the limit, the denial names the rule but gives no retry time', async (t) => {
  const { as } = await harness(t);
  const input = aCheck([rule('small'), rule('used', { limit: 5 })]);
  const { limited_policy, retry_after_seconds, policies } = await as.liveKey(check, {
    ...input,
    cost: 4,
  });
  deepEqual([limited_policy, retry_after_seconds], ['small', null]);
  deepEqual(
    policies.map(({ remaining }) => remaining),
    [3, 5],
  );
  await as.liveKey(check, { ...input, limits: input.limits.slice(1), cost: 5 });
  const both = await as.liveKey(check, { ...input, limits: input.limits.toReversed(), cost: 4 });
  deepEqual(
    [both.limited_policy, both.retry_after_seconds],
    ['small', null],
    'a rule that can never allow the cost has the longest wait',
  );
});

test('`limited_policy` is the denying rule with the longest wait', async (t) => {
  const { as } = await harness(t);
  const input = aCheck([
    rule('second', { limit: 1, window_ms: 1000 }),
    rule('hour', { limit: 1, window_ms: 3_600_000 }),
    rule('minute', { limit: 1 }),
  ]);
  await as.liveKey(check, input);
  const denied = await as.liveKey(check, input);
  equal(denied.limited_policy, 'hour');
  ok(Number(denied.retry_after_seconds) > 3000);

  const alike = aCheck([rule('first', { limit: 1 }), rule('second', { limit: 1 })]);
  await as.liveKey(check, alike);
  equal(
    (await as.liveKey(check, alike)).limited_policy,
    'first',
    'with equal waits, the first rule',
  );
});

test('a denied check is allowed after `retry_after_seconds` on the store’s clock', async (t) => {
  const app = await harness(t);
  for (const algorithm of ['fixed', 'sliding']) {
    const input = aCheck([rule('one', { limit: 1, algorithm })]);
    await app.as.liveKey(check, input);
    const { retry_after_seconds } = await app.as.liveKey(check, input);
    app.clock.shift(Number(retry_after_seconds) * 1000);
    equal(await allowed(app, input), true, algorithm);
  }
});

test('a rule’s scope decides whether keys or tenants are counted, and all checks without a key or tenant ID share a counter', async (t) => {
  const app = await harness(t);
  const project_id = randomUUID();
  const key_id = randomUUID();
  const tenant_id = randomUUID();
  const of = (scope: string, more: Input): Input =>
    aCheck([rule('one', { limit: 1, scope })], { project_id, key_id, tenant_id, ...more });
  const steps: [string, Input, boolean][] = [
    ['a tenant', of('tenant', {}), true],
    ['another key of the tenant', of('tenant', { key_id: randomUUID() }), false],
    ['another tenant', of('tenant', { tenant_id: randomUUID() }), true],
    ['a key', of('key', {}), true],
    ['the key again', of('key', {}), false],
    ['the key in capitals', of('key', { key_id: key_id.toUpperCase() }), false],
    ['another key', of('key', { key_id: randomUUID() }), true],
    ['no key', of('key', { key_id: null }), true],
    ['no key again, of another tenant', of('key', { key_id: null, tenant_id: null }), false],
    ['no tenant', of('tenant', { tenant_id: null }), true],
    ['no tenant, another key', of('tenant', { tenant_id: null, key_id: null }), false],
    ['another project', of('key', { project_id: randomUUID() }), true],
    ['the other environment', of('key', { env: 'test' }), true],
    ['the other environment again', of('key', { env: 'test' }), false],
  ];
  for (const [what, input, expected] of steps) equal(await allowed(app, input), expected, what);
});

test('workspaces have separate counters', async (t) => {
  const mine = await harness(t);
  const theirs = await harness(t);
  const input = aCheck([rule('one', { limit: 1 })]);
  equal(await allowed(theirs, input), true);
  equal(await allowed(mine, input), true);
  equal(await allowed(mine, input), false);
});

test('a test key can check limits only in the test environment', async (t) => {
  const { as } = await harness(t);
  const input = aCheck([rule('one')]);
  await refused(as.testKey(check, input), 403, 'forbidden');
  equal((await as.testKey(check, { ...input, env: 'test' })).allowed, true);
});

test('remaining is 0, not negative, once the limit is lowered below the count', async (t) => {
  const { as } = await harness(t);
  const input = aCheck([rule('falls', { limit: 10 })], { cost: 9 });
  await as.liveKey(check, input);
  const lower = { ...input, cost: 0, limits: [rule('falls', { limit: 4 })] };
  equal((await as.liveKey(check, lower)).policies[0]?.remaining, 0);
});

test('of 200 concurrent checks, exactly as many succeed as the limit allows', async (t) => {
  const app = await harness(t);
  const input = aCheck([
    rule('fifty', { limit: 50 }),
    rule('wide', { limit: 1000, scope: 'tenant' }),
  ]);
  const answers = await Promise.all(Array.from({ length: 200 }, () => allowed(app, input)));
  equal(answers.filter(Boolean).length, 50);
});

test('a check with a cached secret key sends no statements to the database', async (t) => {
  const app = await harness(t);
  const store = traced(app.testApp.db);
  const beside = appBeside(t, app.testApp, { db: store.db });
  const call = beside.as(app.tokens.liveKey);
  const input = aCheck([rule('wide', { limit: 1000 })]);
  await call(check, input);
  store.take();
  for (let at = 0; at < 20; at += 1) await call(check, input);
  deepEqual(store.take(), []);
});
