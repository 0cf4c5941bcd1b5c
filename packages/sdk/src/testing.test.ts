import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import type { RateLimitRule } from './api/context.ts';
import { createTestPlane } from './testing/control-plane.ts';
import { createTestCounters } from './testing/counters.ts';
import { createTestKeyrail, type TestOptions } from './testing.ts';

async function node(t: TestContext, options: TestOptions = {}) {
  const keyrail = await createTestKeyrail({ log: () => {}, ...options });
  t.after(() => keyrail.close());
  const ask = (key: string, headers: Record<string, string> = {}) =>
    keyrail.admit(
      { method: 'POST', path: '/', header: (name) => ({ 'x-api-key': key, ...headers })[name] },
      { idempotency: true },
    );
  return { keyrail, ask };
}

const limit: RateLimitRule = {
  id: 'two',
  limit: 2,
  windowMs: 3_600_000,
  algorithm: 'sliding',
  scope: 'tenant',
};

test('the initial keys work immediately, with their options', async (t) => {
  const past = new Date(Date.UTC(2020, 0, 1));
  const { keyrail } = await node(t, {
    keys: [{ scopes: ['a'], env: 'test' }, { expiresAt: past }, {}],
    resources: { live: 'l', test: 't' },
  });
  const [first, expired, plain] = keyrail.keys;
  const decision = keyrail.verify(first?.key, { scopes: ['a'] });
  equal(decision.allowed, true);
  if (!decision.allowed) return;
  const { env, tenantId, keyId, resources, verified, degraded } = decision.context;
  deepEqual(
    { env, tenantId, keyId, resources, verified, degraded },
    {
      env: 'test',
      tenantId: first?.tenantId,
      keyId: first?.keyId,
      resources: 't',
      verified: true,
      degraded: false,
    },
  );
  deepEqual(keyrail.verify(expired?.key), { ...keyrail.verify(expired?.key), reason: 'expired' });
  equal(keyrail.verify(plain?.key, { scopes: ['a'] }).allowed, false);
});

test('a new key is accepted once issue() resolves, and rejected once revoke() resolves', async (t) => {
  const { keyrail } = await node(t);
  for (let turn = 0; turn < 20; turn += 1) {
    const { key } = await keyrail.issue();
    equal(keyrail.verify(key).allowed, true);
    await keyrail.revoke(key);
    equal(keyrail.verify(key).allowed, false);
  }
  await rejects(keyrail.revoke('kr_live_unknown'), /No such key/);
});

test('rate limits apply and are shared according to their scope', async (t) => {
  const tenantId = crypto.randomUUID();
  const rateLimits = [limit];
  const { keyrail, ask } = await node(t, {
    keys: [{ tenantId, rateLimits }, { tenantId, rateLimits }, { rateLimits }],
  });
  const kinds = [];
  for (const at of [0, 1, 0, 1, 2]) kinds.push((await ask(keyrail.keys[at]?.key ?? '')).kind);
  deepEqual(kinds, ['admitted', 'admitted', 'refused', 'refused', 'admitted']);
});

test('with leases, most requests are decided locally, and none exceed the limit', async (t) => {
  const rule = { ...limit, limit: 1_000 };
  const { keyrail, ask } = await node(t, {
    keys: [{ rateLimits: [rule] }],
    rateLimit: { leases: true },
  });
  const key = keyrail.keys[0]?.key ?? '';
  let immediate = 0;
  let admitted = 0;
  for (let n = 0; n < 1_100; n += 1) {
    const admission = ask(key);
    if ('kind' in admission) immediate += 1;
    if ((await admission).kind === 'admitted') admitted += 1;
  }
  equal(admitted, 1_000);
  ok(immediate > 500, `${immediate}`);
});

test('units returned from a lease can be used by another node', () => {
  const { check, lease, giveBack } = createTestCounters(() => 0);
  const body = { key_id: 'k', limits: [{ id: 'a', limit: 10, window_ms: 1_000, scope: 'key' }] };
  const { granted, lease_id } = lease({ ...body, want: 20 });
  equal(granted, 10);
  equal(check(body).allowed, false);
  equal(giveBack({ lease_id, unused: 11 }).returned, 0, 'more than was granted');
  equal(giveBack({ lease_id, unused: 4 }).returned, 4);
  equal(giveBack({ lease_id, unused: 4 }).returned, 0, 'a second time');
  equal(check({ ...body, cost: 4 }).allowed, true);
  equal(check(body).allowed, false);
});

test('a simulated outage behaves like a real outage', async (t) => {
  const { keyrail, ask } = await node(t, { keys: [{ rateLimits: [limit] }] });
  const key = keyrail.keys[0]?.key ?? '';
  keyrail.setReachable(false);
  equal((await ask(key)).kind, 'admitted', 'known keys are allowed without rate limits');
  equal(
    (await ask(key, { 'idempotency-key': 'one' })).kind,
    'refused',
    'an idempotent request is denied',
  );
  keyrail.setReachable(true);
  equal((await ask(key, { 'idempotency-key': 'one' })).kind, 'admitted');
});

test('a test can read the telemetry events', async (t) => {
  const { keyrail, ask } = await node(t, { keys: [{}] });
  const admission = await ask(keyrail.keys[0]?.key ?? '');
  if (admission.kind === 'admitted') admission.settle({ status: 204 });
  await ask('nonsense');
  await keyrail.close();
  deepEqual(
    keyrail.events().map((event) => [Object(event).status, Object(event).denial_reason]),
    [
      [204, null],
      [401, 'invalid_key'],
    ],
  );
});

test('a node for one environment, or for some tenants, loads only their keys', async (t) => {
  const tenantId = crypto.randomUUID();
  const keys = [{ env: 'test', tenantId }, { env: 'live', tenantId }, { env: 'live' }] as const;
  const reasons = async (options: TestOptions) => {
    const { keyrail } = await node(t, { ...options, keys });
    const later = await keyrail.issue({ env: 'live', tenantId });
    return [...keyrail.keys, later].map(({ key }) => {
      const decision = keyrail.verify(key);
      return decision.allowed ? 'allowed' : decision.reason;
    });
  };
  const ok = 'allowed';
  const foreign = 'wrong_environment';
  const unknown = 'unknown_key';
  deepEqual(await reasons({ env: 'test' }), [ok, foreign, foreign, foreign]);
  deepEqual(await reasons({ env: 'live' }), [foreign, ok, ok, ok]);
  deepEqual(await reasons({ tenantIds: [tenantId] }), [ok, ok, unknown, ok]);
});

test('an unreachable node gets no changes, is degraded, and catches up', async (t) => {
  const { keyrail } = await node(t, { keys: [{}] });
  const key = keyrail.keys[0]?.key ?? '';
  keyrail.setReachable(false);
  await until(() => keyrail.state().degraded);
  await keyrail.revoke(key);
  equal(keyrail.verify(key).allowed, true, 'the node cannot know yet');
  keyrail.setReachable(true);
  await until(() => !keyrail.verify(key).allowed);
  equal(keyrail.state().degraded, false);
});

test('a held poll gets a response after its maximum wait, even if nothing has changed', async () => {
  const waited: number[] = [];
  const { fetch } = createTestPlane({
    projectId: crypto.randomUUID(),
    now: () => 0,
    randomBytes: (size) => new Uint8Array(size),
    after: (ms, act) => {
      waited.push(ms);
      queueMicrotask(act);
      return () => {};
    },
  });
  const delta = await fetch('http://x.test/v1/policy/delta?since=1&wait_ms=25000', {});
  equal(delta.status, 304);
  deepEqual(waited, [25_000]);
});

test('many keys are sent in pages, and a large delta is replaced by a snapshot', async (t) => {
  const keys = Array.from({ length: 1_500 }, () => ({}));
  const keyrail = await createTestKeyrail({ keys, telemetry: false });
  t.after(() => keyrail.close());
  const last = keyrail.keys.at(-1)?.key ?? '';
  equal(keyrail.state().keys, 1_500);
  equal(keyrail.verify(last).allowed, true);
  await keyrail.revoke(last);
  equal(keyrail.verify(last).allowed, false);
});

test("a node with the `include` option gets its test keys' meta and external IDs", async (t) => {
  const key = { meta: { plan: 'gold' }, tenantExternalId: 'cus_1' };
  const { keyrail } = await node(t, { keys: [key], include: ['meta', 'externalId'] });
  const issued = await keyrail.issue();
  const contexts = [keyrail.keys[0], issued].map((one) => {
    const decision = keyrail.verify(one?.key);
    return decision.allowed ? [decision.context.meta, decision.context.tenantExternalId] : [];
  });
  deepEqual(contexts, [
    [{ plan: 'gold' }, 'cus_1'],
    [{}, issued.tenantId],
  ]);
});
