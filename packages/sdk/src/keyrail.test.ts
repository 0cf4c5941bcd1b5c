// A node from start to close: cold starts, wrong clocks, an unreachable control plane.
import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import { manualClock } from '../test/manual-clock.ts';
import { nodeOn, Plane, type Watched } from '../test/plane.ts';
import { secretKeyOf } from '../test/rig.ts';
import type { KeyrailOptions } from './api/options.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const gone = () => Promise.reject(new TypeError('fetch failed'));

const reasonOf = ({ node }: Watched, key: string) => {
  const decision = node.verify(key);
  return decision.allowed ? 'allowed' : decision.reason;
};

function node(t: TestContext, plane: Plane, options: Partial<KeyrailOptions> = {}): Watched {
  const watched = nodeOn(plane, options);
  t.after(() => watched.node.close());
  return watched;
}

async function scratch(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'kr-node-'));
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 10 }));
  return dir;
}

test('a cold start without a policy denies keys, except on routes that opt out', async (t) => {
  const plane = new Plane();
  const key = plane.issue({ scopes: ['a'] });
  plane.fault = gone;
  const watched = node(t, plane);
  const ready = watched.node.ready(3_000);
  await watched.clock.pass(5_000);
  equal(await ready, false);
  equal(reasonOf(watched, key), 'policy_unavailable');
  const open = watched.node.verify(key, { onNoPolicy: 'allow', scopes: ['a', 'b'] });
  ok(open.allowed);
  const { keyId, tenantId, verified, degraded, scopes } = open.context;
  deepEqual([keyId, tenantId, verified, degraded, scopes.size], [null, null, false, true, 0]);
});

test('a node is ready as soon as it has a policy', async (t) => {
  const plane = new Plane();
  const { node: made, clock } = node(t, plane);
  const ready = Promise.all([made.ready(), made.ready(1_000)]);
  await clock.pass(1);
  deepEqual(await ready, [true, true]);
  equal(await made.ready(0), true);
});

test('a cold start without the control plane uses the cache and is degraded', async (t) => {
  const cacheDir = await scratch(t);
  const plane = new Plane();
  const soon = new Date(plane.clock.now() + HOUR_MS).toISOString();
  const lasting = plane.issue();
  const ending = plane.issue({ expires_at: soon });
  const first = node(t, plane, { cacheDir });
  await until(() => first.node.state().version !== null);
  await first.node.close();

  plane.fault = gone;
  const second = node(t, plane, { cacheDir });
  equal(await second.node.ready(), true);
  const { source, degraded, version, keys } = second.node.state();
  deepEqual([source, degraded, version, keys], ['cache', true, plane.version, 2]);
  deepEqual([reasonOf(second, lasting), reasonOf(second, ending)], ['allowed', 'allowed']);
  await second.clock.pass(HOUR_MS);
  deepEqual([reasonOf(second, lasting), reasonOf(second, ending)], ['allowed', 'expired']);

  const fresh = plane.issue();
  plane.fault = () => null;
  await second.clock.pass(60_000);
  equal(reasonOf(second, fresh), 'allowed');
  const asked = plane.asked.filter(({ line }) => line === 'snapshot');
  equal(asked.length, 1, 'a cached policy needs only a delta');
  equal(second.node.state().degraded, false);
});

test('a modified cache is rejected, and the node requests a snapshot', async (t) => {
  const cacheDir = await scratch(t);
  const plane = new Plane();
  const key = plane.issue();
  const first = node(t, plane, { cacheDir });
  await until(() => first.node.state().version !== null);
  await first.node.close();
  const [name = ''] = await readdir(cacheDir);
  const bytes = await readFile(join(cacheDir, name));
  bytes[bytes.length - 20] = (bytes.at(-20) ?? 0) ^ 1;
  await writeFile(join(cacheDir, name), bytes);

  const second = node(t, plane, { cacheDir });
  await until(() => second.node.state().version !== null);
  equal(second.node.state().source, 'feed');
  equal(reasonOf(second, key), 'allowed');
  ok(second.logged.some((line) => line.includes('ignoring the policy cache')));
});

test('a slow clock does not revive an expired key', async (t) => {
  const plane = new Plane();
  plane.aheadMs = 2 * DAY_MS;
  const serverNow = plane.clock.now() + plane.aheadMs;
  const ended = plane.issue({ expires_at: new Date(serverNow - 1_000).toISOString() });
  const ending = plane.issue({ expires_at: new Date(serverNow + 60_000).toISOString() });
  const watched = node(t, plane);
  await watched.clock.pass(1);
  deepEqual([reasonOf(watched, ended), reasonOf(watched, ending)], ['expired', 'allowed']);
  plane.fault = gone;
  await watched.clock.pass(61_000);
  equal(reasonOf(watched, ending), 'expired');
});

test('setting the clock back does not revive an expired key', async (t) => {
  const manual = manualClock();
  let backMs = 0;
  const clock = { ...manual, now: () => manual.now() - backMs };
  const plane = new Plane(clock);
  const at = clock.now() + 60_000;
  const ending = plane.issue({ expires_at: new Date(at).toISOString() });
  const watched = node(t, plane);
  await clock.pass(1);
  plane.fault = gone;
  backMs = DAY_MS;
  equal(reasonOf(watched, ending), 'allowed');
  await clock.pass(60_000);
  equal(reasonOf(watched, ending), 'expired');
});

test('a control plane is trusted again once its fast clock is corrected', async (t) => {
  const plane = new Plane();
  plane.aheadMs = DAY_MS;
  const soon = new Date(plane.clock.now() + DAY_MS / 2).toISOString();
  const key = plane.issue({ expires_at: soon });
  const watched = node(t, plane);
  await watched.clock.pass(1);
  equal(reasonOf(watched, key), 'expired');
  plane.aheadMs = 0;
  plane.issue();
  await watched.clock.pass(1);
  equal(reasonOf(watched, key), 'allowed');
});

test("a late response does not set the node's clock back", async (t) => {
  const plane = new Plane();
  plane.aheadMs = DAY_MS;
  const ended = plane.issue({
    expires_at: new Date(plane.clock.now() + DAY_MS - 1_000).toISOString(),
  });
  const watched = node(t, plane);
  await watched.clock.pass(1);
  equal(reasonOf(watched, ended), 'expired');
  plane.aheadMs = DAY_MS - 60_000;
  plane.issue();
  await watched.clock.pass(1);
  equal(reasonOf(watched, ended), 'expired');
});

test('a node can tell a deleted project from an empty one', async (t) => {
  const plane = new Plane();
  const key = plane.issue();
  const watched = node(t, plane);
  await watched.clock.pass(1);
  plane.isDeleted = true;
  plane.revoke(key);
  await watched.clock.pass(1);
  equal(reasonOf(watched, key), 'project_deleted');
  equal(watched.node.state().projectDeleted, true);
});

test('a policy becomes stale if it is not confirmed, even if no request has failed', async (t) => {
  const plane = new Plane();
  const key = plane.issue();
  const watched = node(t, plane, { staleAfterMs: 40_000 });
  await watched.clock.pass(1);
  plane.fault = () => new Promise(() => {});
  plane.wake();
  await watched.clock.pass(30_000);
  equal(watched.node.state().degraded, false);
  await watched.clock.pass(20_000);
  equal(watched.node.state().degraded, true);
  const decision = watched.node.verify(key);
  equal(decision.allowed && decision.context.degraded, true);
});

test('a node with a test secret key loads only test keys, and a node with a live one rejects a test-only feed', async (t) => {
  const plane = new Plane();
  plane.env = 'test';
  const live = plane.issue();
  const inTest = plane.issue({ env: 'test' });
  plane.revoke(live);
  const watched = node(t, plane, { secretKey: secretKeyOf('test') });
  await watched.clock.pass(1);
  deepEqual([reasonOf(watched, live), reasonOf(watched, inTest)], ['wrong_environment', 'allowed']);
  const other = node(t, plane, {});
  await other.clock.pass(1);
  equal(other.node.state().version, null);
  equal(other.node.state().failure?.hard, true);
});

test("a node's options limit the keys it requests", async (t) => {
  const plane = new Plane();
  plane.env = 'live';
  const tenantIds = [
    '0189ffff-0000-7000-8000-000000000002',
    '0189FFFF-0000-7000-8000-000000000001',
  ];
  const { node: made, clock } = node(t, plane, { env: 'live', tenantIds, nodeName: 'api-1' });
  await clock.pass(1);
  const query = plane.asked[0]?.query;
  equal(query?.get('env'), 'live');
  deepEqual(query?.getAll('tenant_id'), tenantIds.map((id) => id.toLowerCase()).toSorted());
  equal(query?.get('node'), made.state().nodeId);
  ok(/^api-1:[0-9a-f]{8}$/.test(made.state().nodeId));
  throws(() => nodeOn(plane, { projectId: 'x' }), TypeError);
});
