// An SDK node and the real server run in one process, with clocks that advance together. The tests
// cover the node's requests to the counters and the idempotency coordinator, and what these
// requests change in the store.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { addressOf } from '@keyrail/testing/address.ts';
import { type Harness, harness, type Input } from '@keyrail/testing/harness.ts';
import { until } from '@keyrail/testing/until.ts';
import type { Admission, IncomingCall } from '../../packages/sdk/src/api/admission.ts';
import type { Keyrail } from '../../packages/sdk/src/api/keyrail.ts';
import type { KeyrailOptions } from '../../packages/sdk/src/api/options.ts';
import type { RouteOptions } from '../../packages/sdk/src/api/route.ts';
import { createNode } from '../../packages/sdk/src/keyrail.ts';
import { SDK } from '../../packages/sdk/src/version.ts';
import { manualClock } from '../../packages/sdk/test/manual-clock.ts';

const LOCK_MS = 30_000;
const BEAT_MS = LOCK_MS / 3;

type Ground = Harness & {
  projectId: string;
  options: KeyrailOptions;
  keyrail: Keyrail;
  /** How many heartbeats have received a response. */
  beats(): number;
  issue(more?: Input): Promise<string>;
  /** Advances the server's and the node's clocks. */
  pass(ms: number): Promise<void>;
};

async function ground(
  t: TestContext,
  options: Pick<KeyrailOptions, 'include'> = {},
): Promise<Ground> {
  const app = await harness(t);
  const url = await addressOf(app.testApp);
  const { id: project } = await app.given.project();
  const { id: tenant } = await app.given.tenant();
  const ticking = manualClock(app.clock.now().getTime());
  const node: KeyrailOptions = {
    url,
    secretKey: app.tokens.liveKey,
    projectId: project,
    telemetry: false,
    // Requests must not time out on a busy machine, because the node would then fail open or
    // closed.
    rateLimitTimeoutMs: 30_000,
    idempotencyTimeoutMs: 30_000,
    log: () => {},
    ...options,
  };
  let beats = 0;
  const counting = async (to: string, init: RequestInit) => {
    const response = await fetch(to, init);
    if (to.endsWith('/heartbeat')) beats += 1;
    return response;
  };
  const keyrail = createNode(node, { clock: ticking, fetch: counting });
  t.after(() => keyrail.close());
  await until(() => keyrail.state().version !== null);
  return {
    ...app,
    projectId: project,
    options: node,
    keyrail,
    beats: () => beats,
    issue: async (more = {}) => {
      const made = await app.given.key({ project_id: project, tenant_id: tenant, ...more });
      await until(() => keyrail.verify(made.key).allowed);
      return made.key;
    },
    pass: async (ms) => {
      app.clock.shift(ms);
      await ticking.pass(ms);
    },
  };
}

const call = (key: string, more: Partial<IncomingCall & { once: string }> = {}): IncomingCall => {
  const headers: Record<string, string | undefined> = {
    authorization: `Bearer ${key}`,
    'idempotency-key': more.once ?? 'once',
  };
  return {
    method: 'POST',
    path: '/charges',
    header: (name) => headers[name],
    bodyBytes: () => Buffer.from('{}'),
    ...more,
  };
};

const idempotent: RouteOptions = { idempotency: true };
const answer = { status: 201, headers: { 'x-a': 'b' }, body: Buffer.from('made') };

const said = (admission: Admission) =>
  admission.kind === 'admitted' ? 'admitted' : `${admission.status} ${admission.kind}`;

const admitted = (admission: Admission) => {
  if (admission.kind === 'admitted') return admission;
  throw new Error(`${admission.status} ${admission.body}`);
};

test('a disabled key is rejected until it is enabled again, and the node is listed with its SDK version', async (t) => {
  const { keyrail, issue, given, as } = await ground(t, { include: ['meta', 'externalId'] });
  const tenant = await given.tenant();
  const key = await issue({ tenant_id: tenant.id, meta: { plan: 'gold' } });
  const { data } = await as.liveKey('GET /v1/keys', { tenant_id: tenant.id });
  const [{ id, project_id } = { id: '', project_id: '' }] = data;
  const { propagation } = await as.liveKey('POST /v1/keys/{id}/disable', { id, wait: true });
  deepEqual([propagation?.complete, propagation?.total_nodes], [true, 1]);
  equal(keyrail.verify(key).allowed, false, 'an acknowledged change is in force');
  await as.liveKey('POST /v1/keys/{id}/enable', { id });
  await until(() => keyrail.verify(key).allowed);
  const decision = keyrail.verify(key);
  ok(decision.allowed);
  const { meta, tenantExternalId } = decision.context;
  deepEqual([meta, tenantExternalId], [{ plan: 'gold' }, tenant.external_id]);
  const listed = await as.liveKey('GET /v1/policy/nodes', { project_id });
  deepEqual(
    listed.data.map(({ node_id, sdk }) => [node_id, sdk]),
    [[keyrail.state().nodeId, { name: SDK.name, version: SDK.version }]],
  );
});

test('of fifty simultaneous requests only one runs, and the others get its response', async (t) => {
  const { keyrail, issue } = await ground(t);
  const key = await issue();
  const all = await Promise.all(
    Array.from({ length: 50 }, () => keyrail.admit(call(key), idempotent)),
  );
  const [first, ...others] = all.filter(({ kind }) => kind === 'admitted');
  ok(first);
  deepEqual(others, []);
  deepEqual(new Set(all.filter((one) => one !== first).map(said)), new Set(['409 refused']));
  admitted(first).settle(answer);
  let second: Admission | undefined;
  await until(async () => {
    second = await keyrail.admit(call(key), idempotent);
    return second.kind === 'replayed';
  });
  ok(second?.kind === 'replayed');
  deepEqual(second.headers, { 'x-a': 'b', 'idempotency-replayed': 'true' });
  deepEqual(Buffer.from(second.body), answer.body);
});

test('a slow handler keeps its lock, and a handler that dies loses it', async (t) => {
  const { keyrail, issue, pass, beats } = await ground(t);
  const key = await issue();
  const slow = admitted(await keyrail.admit(call(key), idempotent));
  for (let beat = 1; beat <= 9; beat += 1) {
    await pass(BEAT_MS);
    await until(async () => {
      if (beats() < beat) await pass(100);
      return beats() >= beat;
    });
  }
  equal(said(await keyrail.admit(call(key), idempotent)), '409 refused');
  slow.settle(answer);
  await until(async () => said(await keyrail.admit(call(key), idempotent)) === '201 replayed');
});

test("a dead node's lock is released when it expires", async (t) => {
  const { keyrail, issue, clock } = await ground(t);
  const key = await issue();
  const dead = admitted(await keyrail.admit(call(key), idempotent));
  clock.shift(LOCK_MS + 1);
  const heir = admitted(await keyrail.admit(call(key), idempotent));
  dead.settle({ ...answer, body: Buffer.from('of the dead') });
  await new Promise((resolve) => setTimeout(resolve, 60));
  equal(
    said(await keyrail.admit(call(key), idempotent)),
    '409 refused',
    'the second handler still runs',
  );
  heir.settle(answer);
  await until(async () => said(await keyrail.admit(call(key), idempotent)) === '201 replayed');
});

const limitOf = (limit: number, algorithm = 'fixed', window_ms = 60_000) => ({
  rate_limits: [{ id: 'key', limit, window_ms, algorithm, scope: 'key' }],
});
const dear: RouteOptions = { ...idempotent, rateLimit: { cost: 5, onUnavailable: 'deny' } };

test('a request that is sent twice is charged once', async (t) => {
  const { keyrail, issue } = await ground(t);
  const key = await issue(limitOf(16, 'fixed', 2_678_400_000));
  const first = admitted(await keyrail.admit(call(key), dear));
  ok(first.headers.ratelimit?.includes('r=11;'), first.headers.ratelimit);
  first.settle(answer);
  await until(async () => said(await keyrail.admit(call(key), dear)) === '201 replayed');
  const second = admitted(await keyrail.admit(call(key, { once: 'two' }), dear));
  ok(second.headers.ratelimit?.includes('r=6;'), second.headers.ratelimit);
  admitted(await keyrail.admit(call(key, { once: 'three' }), dear));
  equal(said(await keyrail.admit(call(key, { once: 'four' }), dear)), '429 refused');
  equal(said(await keyrail.admit(call(key), dear)), '201 replayed', 'even without any units left');
});

test('a request denied by a rate limit succeeds when retried after the time in retry-after', async (t) => {
  const { keyrail, issue, pass } = await ground(t);
  const key = await issue(limitOf(5));
  admitted(await keyrail.admit(call(key, { once: 'before' }), dear));
  const refused = await keyrail.admit(call(key), dear);
  ok(refused.kind === 'refused');
  equal(refused.status, 429);
  await pass(Number(refused.headers['retry-after']) * 1_000);
  await until(async () => {
    const retried = await keyrail.admit(call(key), dear);
    if (said(retried) === '409 refused') return false;
    admitted(retried).settle(answer);
    return true;
  });
  await until(async () => said(await keyrail.admit(call(key), dear)) === '201 replayed');
});

test('if a node dies between claim and charge, its claim lasts until the lock expires', async (t) => {
  const app = await ground(t);
  const { keyrail, issue, clock } = app;
  const key = await issue(limitOf(5));
  const isAsked = Promise.withResolvers<void>();
  const dying = createNode(app.options, {
    clock: manualClock(clock.now().getTime()),
    fetch: (to, init) => {
      if (!to.endsWith('/ratelimit/check')) return fetch(to, init);
      isAsked.resolve();
      return new Promise(() => {});
    },
  });
  await until(() => dying.verify(key).allowed);
  void dying.admit(call(key), dear);
  await isAsked.promise;
  equal(said(await keyrail.admit(call(key), dear)), '409 refused');
  clock.shift(LOCK_MS + 1);
  admitted(await keyrail.admit(call(key), dear)).settle(answer);
  await until(async () => said(await keyrail.admit(call(key), dear)) === '201 replayed');
});

test('tenants that use the same idempotency key do not share records', async (t) => {
  const { keyrail, issue, given } = await ground(t);
  const other = await given.tenant();
  const keys = [await issue(), await issue(), await issue({ tenant_id: other.id })];
  keys.push(await issue({ env: 'test' }));
  for (const key of keys) {
    admitted(await keyrail.admit(call(key), idempotent)).settle({
      ...answer,
      body: Buffer.from(key.slice(-8)),
    });
  }
  for (const key of keys) {
    let found = '';
    await until(async () => {
      const again = await keyrail.admit(call(key), idempotent);
      found = again.kind === 'replayed' ? String(again.body) : '';
      return again.kind === 'replayed';
    });
    equal(found, key.slice(-8));
  }
});

test("a tenant's keys together get exactly the tenant's limit", async (t) => {
  const { keyrail, issue } = await ground(t);
  const rate_limits = [
    { id: 'tenant', limit: 30, window_ms: 3_600_000, algorithm: 'sliding', scope: 'tenant' },
    { id: 'key', limit: 20, window_ms: 3_600_000, algorithm: 'fixed', scope: 'key' },
  ];
  const keys = [await issue({ rate_limits }), await issue({ rate_limits })];
  const all = await Promise.all(
    Array.from({ length: 80 }, (_, at) => keyrail.admit(call(keys[at % 2] ?? ''))),
  );
  equal(all.filter(({ kind }) => kind === 'admitted').length, 30);
  const refused = all.find(({ kind }) => kind === 'refused');
  ok(refused?.kind === 'refused');
  equal(refused.status, 429);
  ok(Number(refused.headers['retry-after']) >= 1);
  ok(/^"tenant";r=\d+;t=\d+, "key";r=\d+;t=\d+$/.test(refused.headers.ratelimit ?? ''));
});

test('a response too large to store is replayed without its body, and a header says so', async (t) => {
  const { keyrail, issue } = await ground(t);
  const key = await issue();
  const first = admitted(await keyrail.admit(call(key), idempotent));
  const body = Buffer.alloc(first.captureBytesMax + 1);
  first.settle({ status: 200, headers: { 'content-type': 'text/csv' }, body });
  let second: Admission | undefined;
  await until(async () => {
    second = await keyrail.admit(call(key), idempotent);
    return second.kind === 'replayed';
  });
  ok(second?.kind === 'replayed');
  equal(second.status, 200);
  deepEqual(second.headers, {
    'idempotency-replayed': 'true',
    'idempotency-body-omitted': 'true',
  });
});
