// Rate limits over real HTTP: requests, verdicts, and an unreachable control plane.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ratelimitEndpoints } from '@keyrail/protocol/endpoints/ratelimit.ts';
import { contextOf, KEY_ID, PROJECT_ID, receiver, rig, TENANT_ID } from '../../test/rig.ts';
import type { RateLimitRule } from '../api/context.ts';
import { createLimits, limitHeaders } from './limits.ts';

const rule: RateLimitRule = {
  id: 'per-minute',
  limit: 100,
  windowMs: 60_000,
  algorithm: 'sliding',
  scope: 'key',
};
const policy = { id: 'per-minute', limit: 100, window_ms: 60_000, remaining: 99, reset_ms: 1500 };
const state = { id: 'per-minute', limit: 100, windowMs: 60_000, remaining: 99, resetMs: 1500 };
const result = (more: object = {}) => ({
  body: {
    object: 'ratelimit_result',
    allowed: true,
    limited_policy: null,
    retry_after_seconds: null,
    store: 'memory',
    policies: [policy],
    ...more,
  },
});

test('rate limit headers are structured fields, with seconds rounded up', () => {
  deepEqual(limitHeaders([]), {});
  deepEqual(
    limitHeaders([
      state,
      { id: 'day', limit: 5000, windowMs: 86_400_500, remaining: 0, resetMs: 0 },
    ]),
    {
      'ratelimit-policy': '"per-minute";q=100;w=60, "day";q=5000;w=86401',
      ratelimit: '"per-minute";r=99;t=2, "day";r=0;t=0',
    },
  );
});

test('the reset time in the header is never longer than the window', () => {
  const burst = { id: 'burst', limit: 20, windowMs: 10_000, remaining: 18 };
  const resetOf = (resetMs: number) => limitHeaders([{ ...burst, resetMs }]).ratelimit;
  equal(resetOf(9_001), '"burst";r=18;t=10');
  equal(
    resetOf(10_625),
    '"burst";r=18;t=10',
    'a sliding counter is empty after 17/16 of its window',
  );
});

test("the request that checks rate limits matches the API's schema", async (t) => {
  const plane = await receiver(t, () => result());
  const verdict = await createLimits(rig(plane.url)).check(contextOf({}), [rule], 3);
  deepEqual(verdict, { kind: 'counted', allowed: true, states: [state], retryAfterSeconds: null });
  const { body } = ratelimitEndpoints['POST /v1/ratelimit/check'];
  deepEqual((body as { parse(it: unknown): unknown }).parse(plane.received[0]?.body), {
    project_id: PROJECT_ID,
    env: 'live',
    key_id: KEY_ID,
    tenant_id: TENANT_ID,
    cost: 3,
    limits: [
      { id: 'per-minute', limit: 100, window_ms: 60_000, algorithm: 'sliding', scope: 'key' },
    ],
  });
});

test('a denial includes a retry time only if waiting helps', async (t) => {
  const plane = await receiver(t, () => result({ allowed: false, retry_after_seconds: 7 }));
  const limits = createLimits(rig(plane.url));
  const denied = { kind: 'counted', allowed: false, states: [state] };
  deepEqual(await limits.check(contextOf({}), [rule], 1), { ...denied, retryAfterSeconds: 7 });
  plane.script = () => result({ allowed: false, retry_after_seconds: null });
  deepEqual(await limits.check(contextOf({}), [rule], 1), { ...denied, retryAfterSeconds: null });
});

test('a cost is clamped to its bounds', async (t) => {
  const plane = await receiver(t, () => result());
  const limits = createLimits(rig(plane.url));
  for (const cost of [0, 2.4, -3, 5000, Number.NaN])
    await limits.check(contextOf({}), [rule], cost);
  deepEqual(
    plane.received.map(({ body }) => body.cost),
    [0, 2, 0, 1000, 1],
  );
});

for (const [name, reply] of Object.entries({
  'a broken connection': null,
  'a 503': { status: 503, body: { error: { code: 'unavailable' } } },
  'a wrong credential': { status: 401 },
  'a malformed response': { body: { allowed: 'yes' } },
  'a counter with a negative number': result({ policies: [{ ...policy, remaining: -1 }] }),
  'an ID that would break a header': result({ policies: [{ ...policy, id: 'a"b' }] }),
  'a body that is not an object': { body: null },
})) {
  test(`${name} does not count as a verdict`, async (t) => {
    const plane = await receiver(t, () => reply);
    const parts = rig(plane.url);
    const verdict = await createLimits(parts).check(contextOf({}), [rule], 1);
    deepEqual(verdict, { kind: 'unreachable' });
    equal(parts.logged.length, 1);
  });
}

test('a check that exceeds the counter quota does not block other checks', async (t) => {
  const isNew = contextOf({ keyId: '01890000-0000-7000-8000-00000000000f' });
  const plane = await receiver(t, ({ body }) =>
    body.key_id === isNew.keyId ? { status: 429, headers: { 'retry-after': '60' } } : result(),
  );
  const parts = rig(plane.url);
  const limits = createLimits(parts);
  for (let n = 0; n < 3; n += 1) {
    deepEqual(await limits.check(isNew, [rule], 1), { kind: 'unreachable' });
    equal((await limits.check(contextOf({}), [rule], 1)).kind, 'counted');
  }
  equal(plane.received.length, 6);
  equal(parts.logged.length, 1, 'one warning');
});

test('while the control plane is unreachable, only one request per second waits for it', async (t) => {
  const plane = await receiver(t, () => new Promise(() => {}));
  const parts = rig(plane.url, { rateLimitTimeoutMs: 400 });
  const limits = createLimits(parts);
  const ask = () => limits.check(contextOf({}), [rule], 1);
  await ask();
  await Promise.all(Array.from({ length: 50 }, ask));
  equal(plane.received.length, 1, 'other requests did not wait');
  await parts.clock.pass(1000);
  await Promise.all(Array.from({ length: 50 }, ask));
  equal(plane.received.length, 2);
  plane.script = () => result();
  await parts.clock.pass(1000);
  equal((await ask()).kind, 'counted');
  equal((await ask()).kind, 'counted');
  equal(parts.logged.length, 1, 'one outage, one warning');
});

test('out-of-range numbers in a response are clamped or rejected, even 1e999', async (t) => {
  let text = '';
  const server = createServer((_, response) => void response.end(text));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const limits = () => createLimits(rig(`http://127.0.0.1:${port}`, { rateLimitTimeoutMs: 5_000 }));
  const whole = JSON.stringify({ ...result({ allowed: false, retry_after_seconds: 7 }).body });
  const check = async (from: string, to: string) => {
    text = whole.replace(from, to);
    ok(text !== whole);
    return limits().check(contextOf({}), [rule], 1);
  };
  for (const [written, seconds] of [
    ['1e999', 5_356_800],
    ['-1e999', 0],
    ['"7"', null],
  ] as const) {
    const verdict = await check('"retry_after_seconds":7', `"retry_after_seconds":${written}`);
    deepEqual(verdict.kind === 'counted' && verdict.retryAfterSeconds, seconds);
  }
  for (const name of ['limit', 'window_ms', 'remaining', 'reset_ms']) {
    for (const value of ['1e999', '1e15', '-1', '0.5']) {
      const verdict = await check(
        new RegExp(`"${name}":\\d+`).exec(whole)?.[0] ?? '',
        `"${name}":${value}`,
      );
      deepEqual(verdict, { kind: 'unreachable' }, `${name} ${value}`);
    }
  }
});
