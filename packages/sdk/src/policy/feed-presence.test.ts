// A node's contact with the control plane: it sends a leave request when it is closed, retries as
// soon as the control plane is reachable again, and reports when its policy was last confirmed.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import { versionIn } from '../../test/cache.ts';
import { nodeOn, Plane, startedOn } from '../../test/plane.ts';
import type { KeyrailOptions } from '../api/options.ts';
import { SDK } from '../version.ts';

const MINUTE_MS = 60_000;
const gone = (): Promise<Response> => Promise.reject(new TypeError('fetch failed'));

const started = (t: TestContext, plane = new Plane(), options: Partial<KeyrailOptions> = {}) =>
  startedOn(t, plane, options);

test('a closing node sends a leave request as its last poll', async (t) => {
  const { plane, node } = await started(t);
  equal(plane.asked.filter(({ query }) => query.has('leave')).length, 0);
  await node.close();
  const last = plane.asked.at(-1);
  deepEqual(
    [last?.line, last?.query.get('leave'), last?.query.get('since'), last?.query.get('node')],
    ['delta', 'true', String(plane.version), node.state().nodeId],
  );
  await node.close();
  equal(plane.asked.filter(({ query }) => query.has('leave')).length, 1);
});

test('a node that never reached the control plane sends no leave request', async (t) => {
  const plane = new Plane();
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  plane.fault = () => Promise.reject(new TypeError('fetch failed', { cause }));
  const { node, clock } = nodeOn(plane);
  t.after(() => node.close());
  await clock.pass(2_000);
  await node.close();
  ok(plane.asked.length > 0 && plane.asked.every(({ query }) => !query.has('leave')));
});

test('a node closed before its first response sends a leave request', async (t) => {
  const plane = new Plane();
  plane.fault = ({ query }) => (query.has('leave') ? null : new Promise(() => {}));
  const { node } = nodeOn(plane, { nodeName: 'pod' });
  t.after(() => node.close());
  await until(() => plane.asked.length > 0);
  await node.close();
  const [first, last, ...further] = plane.asked;
  deepEqual([first?.line, last?.query.get('leave'), further.length], ['snapshot', 'true', 0]);
  deepEqual(
    [last?.query.get('node'), last?.headers.get('keyrail-node-name')],
    [node.state().nodeId, 'pod'],
  );
});

test('a failed leave request is retried once', async (t) => {
  const { plane, node } = await started(t);
  let fails = 1;
  plane.fault = ({ query }) => (query.has('leave') && fails-- > 0 ? gone() : null);
  await node.close();
  equal(plane.asked.filter(({ query }) => query.has('leave')).length, 2);
});

test('closing completes even if the leave request is rejected, fails, or gets no response', async (t) => {
  for (const answer of [
    () => new Response(null, { status: 400 }),
    gone,
    () => new Promise<Response>(() => {}),
  ]) {
    const { plane, node } = await started(t);
    plane.fault = ({ query }) => (query.has('leave') ? answer() : null);
    await node.close();
    equal(plane.asked.at(-1)?.query.get('leave'), 'true');
  }
});

const limited = {
  rate_limits: [
    { id: 'r', limit: 9, window_ms: 1_000, algorithm: 'fixed' as const, scope: 'key' as const },
  ],
};
const counted = {
  object: 'ratelimit_result',
  allowed: true,
  limited_policy: null,
  store: 'memory',
  retry_after_seconds: null,
  policies: [],
};
const callOf = (key: string) => ({
  method: 'GET',
  path: '/',
  header: (name: string) => (name === 'x-api-key' ? key : null),
});

test("any successful request ends the feed's back-off", async (t) => {
  const plane = new Plane();
  const key = plane.issue(limited);
  let isFeedDown = false;
  const { fetch } = plane;
  Object.assign(plane, {
    fetch: (async (url, init) => {
      if (url.includes('/ratelimit/')) return Response.json(counted);
      return isFeedDown ? new Response(null, { status: 503 }) : fetch(url, init);
    }) satisfies typeof fetch,
  });
  const { node, clock } = await started(t, plane);
  isFeedDown = true;
  plane.wake();
  await until(() => clock.pass(500).then(() => node.state().failure !== null));
  await clock.pass(MINUTE_MS);
  isFeedDown = false;
  const failedAt = clock.monotonicMs();
  const fresh = plane.issue();
  equal((await node.admit(callOf(key))).kind, 'admitted');
  await clock.pass(1_000);
  deepEqual([node.state().failure, node.verify(fresh).allowed], [null, true]);
  ok(clock.monotonicMs() - failedAt <= 1_000);
});

const others: [what: string, path: string, more: object][] = [
  ['limits', '/v1/ratelimit/check', {}],
  ['claims', '/v1/idempotency/claim', { idempotency: { required: true } }],
  ['telemetry', '/v1/ingest/batch', {}],
];

for (const [what, path, route] of others) {
  test(`a successful request for ${what} ends the back-off early`, async (t) => {
    const plane = new Plane();
    const key = plane.issue(what === 'limits' ? limited : {});
    const sent: string[] = [];
    let isFeedDown = false;
    const { fetch } = plane;
    Object.assign(plane, {
      fetch: (async (url, init) => {
        const { pathname } = new URL(url);
        sent.push(pathname);
        if (!pathname.startsWith('/v1/policy/')) return Response.json(counted);
        return isFeedDown ? new Response(null, { status: 503 }) : fetch(url, init);
      }) satisfies typeof fetch,
    });
    const telemetry = what === 'telemetry' && { flushMs: 50 };
    const { node, clock } = await started(t, plane, { telemetry });
    isFeedDown = true;
    plane.wake();
    await clock.pass(MINUTE_MS);
    sent.length = 0;
    while (sent.length === 0) await clock.pass(10);
    // The feed has just failed again, so on its own the node would pause for more than 3 s.
    isFeedDown = false;
    const call = { ...callOf(key), header: headerOf(key) };
    const admission = await node.admit(call, route);
    // A request is reported to telemetry when it ends.
    if (admission.kind === 'admitted') admission.settle({ status: 200, headers: {}, body: null });
    await until(() => clock.pass(10).then(() => sent.includes(path)));
    const answeredAt = clock.monotonicMs();
    await until(() => clock.pass(10).then(() => node.state().failure === null));
    ok(clock.monotonicMs() - answeredAt <= 1_000);
  });
}

const headerOf = (key: string) => (name: string) =>
  ({ 'x-api-key': key, 'idempotency-key': 'once' })[name] ?? null;

test("every request to the feed contains the SDK's name and version", async (t) => {
  const plane = new Plane();
  const named: (string | null)[] = [];
  const { fetch } = plane;
  Object.assign(plane, {
    fetch: ((url, init) => {
      named.push(new Headers(init.headers).get('keyrail-sdk'));
      return fetch(url, init);
    }) satisfies typeof fetch,
  });
  const { node, clock } = await started(t, plane);
  plane.issue();
  await clock.pass(MINUTE_MS);
  await node.close();
  ok(named.length > 3);
  deepEqual(new Set(named), new Set([`${SDK.name}/${SDK.version}`]));
});

test('a feed that keeps failing is not polled in a tight loop, even while other requests succeed', async (t) => {
  const plane = new Plane();
  const key = plane.issue(limited);
  let polls = 0;
  let isFeedDown = false;
  const { fetch } = plane;
  Object.assign(plane, {
    fetch: (async (url, init) => {
      if (url.includes('/ratelimit/')) return Response.json(counted);
      polls += 1;
      return isFeedDown ? new Response(null, { status: 503 }) : fetch(url, init);
    }) satisfies typeof fetch,
  });
  const { node, clock } = await started(t, plane);
  isFeedDown = true;
  plane.wake();
  await clock.pass(1_000);
  polls = 0;
  for (let passed = 0; passed < MINUTE_MS; passed += 100) {
    await node.admit(callOf(key));
    await clock.pass(100);
  }
  ok(polls > 30 && polls <= 120, `${polls} polls in a minute`);
});

test('after a start from the cache, lastSyncAt is the time of the last confirmation', async (t) => {
  const cacheDir = await mkdtemp(join(tmpdir(), 'kr-confirmed-'));
  t.after(() => rm(cacheDir, { recursive: true, force: true, maxRetries: 10 }));
  const plane = new Plane();
  plane.issue();
  const first = await started(t, plane, { cacheDir });
  await until(() => plane.clock.pass(100).then(async () => (await versionIn(cacheDir)) > 0));
  // Nothing changes for an hour, and every poll confirms the policy.
  for (let passed = 0; passed < 60; passed += 1) await plane.clock.pass(MINUTE_MS);
  // The disk may be slower than the simulated clock, so the clock keeps advancing until the disk
  // has caught up.
  await until(async () => {
    await plane.clock.pass(100);
    return plane.clock.now() - (first.node.state().lastSyncAt ?? 0) < MINUTE_MS;
  });
  await until(async () => {
    plane.fault = () => null;
    await plane.clock.pass(MINUTE_MS);
    const confirmedAt = first.node.state().lastSyncAt ?? 0;
    plane.fault = gone;
    // The first node is deliberately not closed, to simulate a kill.
    const second = nodeOn(plane, { cacheDir });
    equal(await second.node.ready(), true);
    const { lastSyncAt, source } = second.node.state();
    await second.node.close();
    equal(source, 'cache');
    return lastSyncAt !== null && confirmedAt - lastSyncAt <= 2 * MINUTE_MS;
  });
});
