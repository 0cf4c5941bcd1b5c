// Which nodes a revocation waits for. A node's silence counts only while the control plane is
// serving.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { poll, readAll } from '@keyrail/testing/feed.ts';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { appBeside, traced } from '@keyrail/testing/second-app.ts';
import { type ServedTime, servedTime } from '@keyrail/testing/served-time.ts';
import { deadlineAfter } from '../../base/deadline.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../base/duration.ts';
import type { Database } from '../../db/database.ts';
import { NOTES_APART_MS_MAX, SERVED_KEPT_MS } from './gate.rows.ts';
import { NODE_KEPT_MS } from './node-times.ts';
import { pruneFeed } from './prune-feed.job.ts';

const delta = 'GET /v1/policy/delta';
const COUNTED_MS = 100 * SECOND_MS;

type Scene = Harness & ServedTime & { projectId: string; counted(): Promise<string> };

/**
 * Creates a project. `counted` returns the nodes that a revocation waits for, and the number of
 * silent nodes.
 */
async function scene(t: TestContext): Promise<Scene> {
  const app = await harness(t);
  const served = await servedTime(app);
  const { as } = appBeside(t, app.testApp, { revokeWaitMsMax: 20 });
  const { id, project_id: projectId } = await app.given.key();
  const counted = async () => {
    const input = { id, wait: true };
    const { propagation } = await as(app.tokens.liveKey)('POST /v1/keys/{id}/revoke', input);
    ok(propagation);
    equal(propagation.total_nodes, propagation.nodes.length);
    const names = propagation.nodes.map(({ node_id }) => node_id).join();
    return `${names} + ${propagation.silent_nodes} silent`;
  };
  return { ...app, ...served, projectId, counted };
}

const seen = (app: Scene, node: string) => readAll(app, { project_id: app.projectId, node });

test('a node is counted for 100 s of served time, and then reported as silent for a day', async (t) => {
  const app = await scene(t);
  await seen(app, 'a');
  await app.serve(COUNTED_MS - 6 * SECOND_MS);
  equal(await app.counted(), 'a + 0 silent');
  await app.serve(12 * SECOND_MS);
  equal(await app.counted(), ' + 1 silent');
  app.clock.shift(DAY_MS - COUNTED_MS - 60 * SECOND_MS);
  equal(await app.counted(), ' + 1 silent');
  app.clock.shift(60 * SECOND_MS);
  equal(await app.counted(), ' + 0 silent');
});

test('a node stays counted during outages, no matter how long or frequent', async (t) => {
  const app = await scene(t);
  await seen(app, 'a');
  for (const awayMs of [11 * SECOND_MS, 100 * SECOND_MS, 1000 * SECOND_MS, DAY_MS, 8 * DAY_MS]) {
    app.clock.shift(awayMs);
    equal(await app.counted(), 'a + 0 silent', `down for ${awayMs} ms`);
    await app.serve(5 * SECOND_MS);
  }
  await pruneFeed(app.testApp.app.worker);
  equal(await app.counted(), 'a + 0 silent');
  await app.serve(COUNTED_MS);
  equal(await app.counted(), ' + 0 silent', 'last seen more than a day ago');
});

test('a node that polled within 90 s is counted, even if that poll was not recorded', async (t) => {
  const app = await scene(t);
  const { version: since } = await seen(app, 'a');
  for (const passedMs of [0, 5_000]) {
    await app.serve(passedMs);
    await poll(app, delta, { project_id: app.projectId, node: 'a', since });
  }
  await app.serve(89_000);
  equal(await app.counted(), 'a + 0 silent');
});

test('time during which two processes serve counts only once, and still counts after one of them stops', async (t) => {
  const app = await scene(t);
  const one = app.another();
  const two = app.another();
  await Promise.all([one.note(), two.note()]);
  await seen(app, 'a');
  for (let passedMs = 0; passedMs < 60 * SECOND_MS; passedMs += 4_000) {
    app.clock.shift(2_000);
    await one.note();
    app.clock.shift(2_000);
    await two.note();
  }
  equal(await app.counted(), 'a + 0 silent', '60 s are not 120 s');
  for (let passedMs = 0; passedMs < 60 * SECOND_MS; passedMs += 4_000) {
    app.clock.shift(4_000);
    await two.note();
  }
  equal(await app.counted(), ' + 1 silent');
});

test('time that no server recorded does not count as served time', async (t) => {
  const app = await scene(t);
  let isAway = false;
  const failing = app.another((gate) => ({
    ...gate,
    run: (statement) => (isAway ? Promise.reject(new Error('away')) : gate.run(statement)),
  }));
  await failing.note();
  await seen(app, 'a');
  for (let n = 0; n < 30; n += 1) {
    app.clock.shift(3_000);
    isAway = true;
    await failing.note().catch(() => {});
    app.clock.shift(3_000);
    isAway = false;
    await failing.note();
  }
  equal(await app.counted(), 'a + 0 silent', 'the store was down between any two records');
  for (let n = 0; n < 20; n += 1) {
    app.clock.shift(NOTES_APART_MS_MAX + 1_000);
    await failing.note();
  }
  equal(await app.counted(), 'a + 0 silent', 'the process may have been stopped');
  deepEqual(await app.spans(), []);
});

test('a node stays counted when the clock is set back', async (t) => {
  const app = await scene(t);
  await app.serve(200 * SECOND_MS);
  app.clock.shift(-HOUR_MS);
  await seen(app, 'a');
  await app.serve(50 * SECOND_MS);
  equal(await app.counted(), 'a + 0 silent');
  app.clock.shift(HOUR_MS);
  equal(await app.counted(), 'a + 0 silent');
});

test('the record of served time stays bounded, but still covers the longest period that queries need', async (t) => {
  const app = await scene(t);
  ok(SERVED_KEPT_MS > NODE_KEPT_MS);
  for (let n = 0; n < 130; n += 1) {
    const server = app.another();
    await server.note();
    app.clock.shift(5_000);
    await server.note();
    app.clock.shift(20_000);
  }
  await app.another().note();
  const spans = await app.spans();
  ok(spans.length >= SERVED_KEPT_MS / 5_000 && spans.length <= 125, `${spans.length} spans`);
});

type Act = () => Promise<unknown>;

/**
 * Revokes a key. Runs `act` after the first read of the nodes, and ends the wait after the second.
 */
async function revokedWhile(t: TestContext, app: Scene, { id, act }: { id: string; act: Act }) {
  let looks = 0;
  const once: Database['once'] = async (opening, statement) => {
    const answer = await app.testApp.db.once(opening, statement);
    if (!statement.text.includes('as is_counted')) return answer;
    looks += 1;
    if (looks === 1) await act();
    else void beside.app.stopServing();
    return answer;
  };
  const db = { ...app.testApp.db, once };
  const beside = appBeside(t, app.testApp, { db, revokeWaitMsMax: 60_000 });
  const call = beside.as(app.tokens.liveKey);
  const { propagation } = await call('POST /v1/keys/{id}/revoke', { id, wait: true });
  ok(looks > 1, 'the nodes were read only once');
  return { complete: propagation?.complete, names: propagation?.nodes.map((n) => n.node_id) };
}

test('a node that goes silent during a wait keeps its record, even in a full project', async (t) => {
  const app = await scene(t);
  const { id, project_id } = await app.given.key();
  const { version } = await readAll(app, { project_id });
  await insertNodes(app, project_id, { version, count: 9_999, seenAgo: '1 hour' });
  await app.serve(250 * SECOND_MS);
  await insertNodes(app, project_id, { version, count: 1, seenAgo: '0 s', name: 'victim' });
  await app.serve(95 * SECOND_MS);
  const act = async () => {
    await app.serve(20 * SECOND_MS);
    const asked = { project_id, node: 'new', since: version };
    await poll(app, delta, asked);
    await poll(app, delta, { ...asked, since: version + 1 });
  };
  const revoked = await revokedWhile(t, app, { id, act });
  deepEqual(revoked, { complete: false, names: ['new', 'victim1'] });
});

test('a node that goes silent during a wait is not pruned, even if its record is old', async (t) => {
  const app = await scene(t);
  const { id, project_id } = await app.given.key();
  await insertNodes(app, project_id, { version: 1, count: 1, seenAgo: '8 days', name: 'victim' });
  await app.serve(95 * SECOND_MS);
  const act = async () => {
    await app.serve(20 * SECOND_MS);
    await pruneFeed(app.testApp.app.worker);
  };
  const revoked = await revokedWhile(t, app, { id, act });
  deepEqual(revoked, { complete: false, names: ['victim1'] });
});

test('in a project with the maximum number of nodes, revocations are never reported as complete', async (t) => {
  const app = await scene(t);
  const { id, project_id } = await app.given.key();
  await insertNodes(app, project_id, { version: 1_000, count: 10_000, seenAgo: '0 days' });
  await poll(app, delta, { project_id, node: 'one-too-many', since: 2 });
  const { as } = appBeside(t, app.testApp, { revokeWaitMsMax: 20 });
  const input = { id, wait: true };
  const full = await as(app.tokens.liveKey)('POST /v1/keys/{id}/revoke', input);
  deepEqual([full.propagation?.complete, full.propagation?.acked_nodes], [false, 10_000]);
  await poll(app, delta, { project_id, node: 'node1', since: 2, leave: true });
  const roomy = await as(app.tokens.liveKey)('POST /v1/keys/{id}/revoke', input);
  deepEqual([roomy.propagation?.complete, roomy.propagation?.acked_nodes], [true, 9_999]);
});

type Inserted = { version: number; count: number; seenAgo: string; name?: string };

async function insertNodes(
  { testApp, workspaceId }: Harness,
  projectId: string,
  { version, count, seenAgo, name = 'node' }: Inserted,
): Promise<void> {
  const scope = { workspaceId, envs: ['live', 'test'] as const };
  const text = `insert into policy_nodes
      (project_id, node_id, env_scope, acked_version, last_seen_at)
    select $1, $2 || n, 'all', $3, app_now() - $4::interval from generate_series(1, $5) n`;
  const values = [projectId, name, version, seenAgo, count];
  const opening = { role: 'kr_record' as const, scope, deadline: deadlineAfter(10_000) };
  await testApp.db.once(opening, { text, values });
}

test('a server records served time once it is listening, and a worker never does', async (t) => {
  const app = await harness(t);
  const { db, take } = traced(app.testApp.db);
  const isNote = ({ text }: { text: string }) => text.includes('insert into served_spans');
  const beside = appBeside(t, app.testApp, { db });
  await beside.app.prepare();
  await pruneFeed(beside.app.worker);
  await beside.as(app.tokens.liveKey)('GET /v1/workspace');
  equal(take().some(isNote), false);
  await beside.app.http.listen({ port: 0 });
  while (!take().some(isNote)) await sleep(10);
  await beside.app.stopServing();
});
