// How nodes with `feedKeys: 'jwks'` treat a feed key that the deployment no longer publishes.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '@keyrail/testing/until.ts';
import { nodeOn, startedOn, type Watched } from '../../../test/plane.ts';
import { newSigner, SignedPlane } from '../../../test/signed-plane.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const options = { feedKeys: 'jwks', longPoll: false, pollMs: MINUTE_MS } as const;

async function passes({ clock }: Watched, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5 * MINUTE_MS) await clock.pass(5 * MINUTE_MS);
}

async function scratch(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'kr-removed-'));
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 10 }));
  return dir;
}

/**
 * Publishes a new key in place of the first, which has leaked. The control plane still signs with
 * the first, unless the test sets its `signer`.
 */
function replaced(plane: SignedPlane) {
  const leaked = plane.signer;
  const next = newSigner('second');
  plane.published = [next];
  return { leaked, next };
}

test('a key removed from the published list is trusted for at most a day', async (t) => {
  const plane = new SignedPlane();
  const watched = await startedOn(t, plane, options);
  replaced(plane);
  await passes(watched, DAY_MS);
  const { version } = watched.node.state();
  const forged = plane.issue();
  await passes(watched, HOUR_MS);
  equal(watched.node.state().version, version);
  ok(!watched.node.verify(forged).allowed);
  match(watched.node.state().failure?.message ?? '', /it was signed by an unknown key/);
});

test('after its machine was suspended for a day, a node loads the list of signing keys again', async (t) => {
  const plane = new SignedPlane();
  const watched = await startedOn(t, plane, options);
  replaced(plane);
  watched.clock.step(DAY_MS);
  const { version } = watched.node.state();
  plane.issue();
  await passes(watched, HOUR_MS);
  equal(watched.node.state().version, version);
});

test('a policy signed with a removed key is replaced within the hour', async (t) => {
  const plane = new SignedPlane();
  const forged = plane.issue();
  const watched = await startedOn(t, plane, options);
  ok(watched.node.verify(forged).allowed);
  plane.signer = replaced(plane).next;
  // The genuine policy never contained the forged key, so no change removes it.
  const { version } = plane;
  plane.revoke(forged);
  plane.version = version;
  await passes(watched, DAY_MS + HOUR_MS + 10 * MINUTE_MS);
  equal(watched.node.verify(forged).allowed, false);
  equal(watched.node.state().degraded, false);
  const snapshots = plane.asked.filter(({ line }) => line === 'snapshot');
  equal(snapshots.length, 2);
});

test('a starting node loads the list of signing keys again, even if its cache has one', async (t) => {
  const cacheDir = await scratch(t);
  const plane = new SignedPlane();
  const first = await startedOn(t, plane, { ...options, cacheDir });
  await first.node.close();
  replaced(plane);
  const { version } = first.node.state();
  plane.issue();
  const second = nodeOn(plane, { ...options, cacheDir });
  t.after(() => second.node.close());
  await until(() => second.clock.pass(1).then(() => second.node.state().failure !== null));
  deepEqual([second.node.state().source, second.node.state().version], ['cache', version]);
  match(second.node.state().failure?.message ?? '', /it was signed by an unknown key/);
});

test('once a published list contains no feed keys, earlier keys are no longer trusted', async (t) => {
  const plane = new SignedPlane();
  const watched = await startedOn(t, plane, options);
  plane.published = [newSigner('receipts', 'receipt')];
  await passes(watched, DAY_MS + HOUR_MS);
  equal(watched.node.state().degraded, true);
  match(watched.node.state().failure?.message ?? '', /the feed's keys have not been loaded/);
});

test('a node that starts without the control plane does not wait for the list of signing keys', async (t) => {
  const cacheDir = await scratch(t);
  const plane = new SignedPlane();
  const first = await startedOn(t, plane, { ...options, cacheDir });
  await first.node.close();
  const reads = plane.reads;
  plane.listFault = () => new Promise(() => {});
  plane.fault = () => new Promise(() => {});
  const second = nodeOn(plane, { ...options, cacheDir });
  t.after(() => second.node.close());
  await until(() => second.node.state().source === 'cache');
  equal(plane.reads, reads);
});

test('if the list of keys cannot be reloaded, the old list stays in force and the node reports the failure', async (t) => {
  const plane = new SignedPlane();
  const watched = await startedOn(t, plane, options);
  plane.listFault = () => new Response('<html>', { status: 200 });
  await passes(watched, DAY_MS + 3 * HOUR_MS);
  const key = plane.issue();
  await passes(watched, 5 * MINUTE_MS);
  ok(watched.node.verify(key).allowed);
  const { degraded, failure } = watched.node.state();
  deepEqual([degraded, failure?.hard], [false, false]);
  match(failure?.message ?? '', /could not be reloaded/);
  const said = watched.logged.filter((line) => line.includes('could not be reloaded'));
  equal(said.length, 1);
  ok(plane.reads <= 6, `${plane.reads}`);
  plane.listFault = () => null;
  await passes(watched, 2 * HOUR_MS);
  equal(watched.node.state().failure, null);
});
