// With the option `maxStaleMs`, every key is denied once the policy is older than that.
import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import { manualClock } from '../../test/manual-clock.ts';
import { nodeOn, Plane, startedOn, type Watched } from '../../test/plane.ts';
import type { RouteOptions } from '../api/route.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const options = { maxStaleMs: 10 * MINUTE_MS };

const gone = () => Promise.reject(new TypeError('fetch failed'));

function reasonOf({ node }: Watched, key: string | null, route: RouteOptions = {}): string {
  const decision = node.verify(key, route);
  return decision.allowed ? 'allowed' : decision.reason;
}

test('a node whose policy is older than maxStaleMs denies every key until the policy is confirmed again', async (t) => {
  const plane = new Plane();
  const key = plane.issue();
  const imported = plane.import('acme_live_4eC39HqLyjWDarjtT1zdp7');
  const watched = await startedOn(t, plane, options);
  plane.fault = gone;
  plane.wake();
  await watched.clock.pass(options.maxStaleMs - 100);
  equal(reasonOf(watched, key), 'allowed');
  equal(watched.node.state().tooOld, false);
  await watched.clock.pass(100);
  equal(watched.node.state().tooOld, true);
  const open: RouteOptions = { onNoPolicy: 'allow' };
  deepEqual(
    [key, imported, new Plane().issue()].map((each) => reasonOf(watched, each, open)),
    ['policy_unavailable', 'policy_unavailable', 'policy_unavailable'],
    'even on a route that allows keys without a policy, and whether or not the key is known',
  );
  deepEqual([reasonOf(watched, null), reasonOf(watched, 'x')], ['missing_key', 'malformed_key']);
  equal(await readyAfter(watched, 0), false);
  const call = { header: (name: string) => (name === 'authorization' ? `Bearer ${key}` : null) };
  const admission = await watched.node.admit({ method: 'GET', path: '/', ...call });
  equal('status' in admission && admission.status, 503);
  plane.fault = () => null;
  await watched.clock.pass(MINUTE_MS);
  equal(reasonOf(watched, key), 'allowed');
});

test('after a freeze that lasts maxStaleMs, the first decision is a denial', async (t) => {
  for (const move of ['freeze', 'step'] as const) {
    const plane = new Plane();
    const key = plane.issue();
    const watched = await startedOn(t, plane, options);
    watched.clock[move](options.maxStaleMs);
    equal(reasonOf(watched, key), 'policy_unavailable');
  }
});

test('without maxStaleMs a policy of any age is used', async (t) => {
  const plane = new Plane();
  const key = plane.issue();
  const watched = await startedOn(t, plane);
  watched.clock.freeze(1000 * HOUR_MS);
  equal(reasonOf(watched, key), 'allowed');
  equal(watched.node.state().tooOld, false);
});

/** A node that starts offline from another node's cache, `laterMs` later by its wall clock. */
async function restarted(t: TestContext, laterMs: number) {
  const cacheDir = await mkdtemp(join(tmpdir(), 'kr-stale-'));
  t.after(() => rm(cacheDir, { recursive: true, force: true, maxRetries: 10 }));
  const plane = new Plane();
  const key = plane.issue();
  const first = await startedOn(t, plane, { cacheDir });
  await first.node.close();
  const offline = new Plane(manualClock(plane.clock.now() + laterMs));
  offline.fault = gone;
  const watched = nodeOn(offline, { ...options, cacheDir });
  t.after(() => watched.node.close());
  await until(() => watched.node.state().source === 'cache');
  return { watched, key };
}

const readyAfter = async ({ node, clock }: Watched, ms: number): Promise<boolean> => {
  const ready = node.ready(ms);
  await clock.pass(ms);
  return ready;
};

test("after a start from the cache, the policy's age is measured from the last confirmation", async (t) => {
  const { watched, key } = await restarted(t, 9 * MINUTE_MS);
  equal(await readyAfter(watched, 0), true);
  equal(reasonOf(watched, key), 'allowed');
  await watched.clock.pass(MINUTE_MS);
  equal(reasonOf(watched, key), 'policy_unavailable');
});

test('a node that starts from a cache that is too old, or of unknown age, is not ready', async (t) => {
  // If the clock shows a time before the last confirmation, the policy's age is unknown.
  for (const laterMs of [10 * MINUTE_MS, -HOUR_MS]) {
    const { watched, key } = await restarted(t, laterMs);
    equal(await readyAfter(watched, 1_000), false);
    equal(reasonOf(watched, key), 'policy_unavailable');
    ok(watched.node.state().tooOld);
  }
});

test('an invalid maxStaleMs is an error, because clamping it could allow keys for too long', () => {
  const plane = new Plane();
  for (const maxStaleMs of ['1 h', Number.NaN, -1, 0, 89_999, Number.POSITIVE_INFINITY]) {
    throws(() => nodeOn(plane, { maxStaleMs: maxStaleMs as number }), TypeError, `${maxStaleMs}`);
  }
  throws(() => nodeOn(plane, { maxStaleMs: 90_000, staleAfterMs: 120_000 }), /staleAfterMs/);
});
