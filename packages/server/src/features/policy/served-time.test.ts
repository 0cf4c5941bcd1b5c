// Which nodes a revocation waits for. A node's silence counts only while the control plane serves.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, bench } from '../../../../../tests/bench.ts';
import { appBeside, traced } from '../../../../../tests/beside.ts';
import { poll, readAll } from '../../../../../tests/feed.ts';
import { type ServedTime, servedTime } from '../../../../../tests/served-time.ts';
import { deadlineAfter } from '../../base/deadline.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../base/duration.ts';
import type { Database } from '../../db/database.ts';
import { openGate } from '../../doors/gate.ts';
import { NOTES_APART_MS_MAX, SERVED_KEPT_MS } from '../../doors/served-spans.ts';
import { NODE_KEPT_MS } from './node-times.ts';
import { pruneFeed } from './prune-feed.job.ts';

const delta = 'GET /v1/policy/delta';
const COUNTED_MS = 100 * SECOND_MS;

type Scene = Bench & ServedTime & { projectId: string; counted(): Promise<string> };

/** A project; `counted` returns the nodes a revocation waits for and the number of silent ones. */
async function scene(t: TestContext): Promise<Scene> {
  const held = await bench(t);
  const served = await servedTime(held);
  const { as } = appBeside(t, held.world, { revokeWaitMsMax: 20 });
  const { id, project_id: projectId } = await held.given.key();
  const counted = async () => {
    const input = { id, wait: true };
    const { propagation } = await as(held.tokens.liveKey)('POST /v1/keys/{id}/revoke', input);
    ok(propagation);
    equal(propagation.total_nodes, propagation.nodes.length);
    const names = propagation.nodes.map(({ node_id }) => node_id).join();
    return `${names} + ${propagation.silent_nodes} silent`;
  };
  return { ...held, ...served, projectId, counted };
}

const seen = (held: Scene, node: string) => readAll(held, { project_id: held.projectId, node });

test('a node is counted for 100 s of served time, and reported as silent for a day', async (t) => {
  const held = await scene(t);
  await seen(held, 'a');
  await held.serve(COUNTED_MS - 6 * SECOND_MS);
  equal(await held.counted(), 'a + 0 silent');
  await held.serve(12 * SECOND_MS);
  equal(await held.counted(), ' + 1 silent');
  held.clock.shift(DAY_MS - COUNTED_MS - 60 * SECOND_MS);
  equal(await held.counted(), ' + 1 silent');
  held.clock.shift(60 * SECOND_MS);
  equal(await held.counted(), ' + 0 silent');
});

test('no outage makes a node uncounted, even if it is long or repeated', async (t) => {
  const held = await scene(t);
  await seen(held, 'a');
  for (const awayMs of [11 * SECOND_MS, 100 * SECOND_MS, 1000 * SECOND_MS, DAY_MS, 8 * DAY_MS]) {
    held.clock.shift(awayMs);
    equal(await held.counted(), 'a + 0 silent', `away for ${awayMs} ms`);
    await held.serve(5 * SECOND_MS);
  }
  await pruneFeed(held.world.app.worker);
  equal(await held.counted(), 'a + 0 silent');
  await held.serve(COUNTED_MS);
  equal(await held.counted(), ' + 0 silent', 'last seen more than a day ago');
});

test('a node that polled within 90 s is counted, even if that poll was not recorded', async (t) => {
  const held = await scene(t);
  const { version: since } = await seen(held, 'a');
  for (const passedMs of [0, 5_000]) {
    await held.serve(passedMs);
    await poll(held, delta, { project_id: held.projectId, node: 'a', since });
  }
  await held.serve(89_000);
  equal(await held.counted(), 'a + 0 silent');
});

test('time served by two processes counts once, and continues when one of them stops', async (t) => {
  const held = await scene(t);
  const one = held.another();
  const two = held.another();
  await Promise.all([one.note(), two.note()]);
  await seen(held, 'a');
  for (let passedMs = 0; passedMs < 60 * SECOND_MS; passedMs += 4_000) {
    held.clock.shift(2_000);
    await one.note();
    held.clock.shift(2_000);
    await two.note();
  }
  equal(await held.counted(), 'a + 0 silent', '60 s are not 120 s');
  for (let passedMs = 0; passedMs < 60 * SECOND_MS; passedMs += 4_000) {
    held.clock.shift(4_000);
    await two.note();
  }
  equal(await held.counted(), ' + 1 silent');
});

test('time without a record of service is not served time', async (t) => {
  const held = await scene(t);
  let isAway = false;
  const { noteServed } = openGate(held.world.db);
  const failing = held.another({
    noteServed: (span) => (isAway ? Promise.reject(new Error('away')) : noteServed(span)),
  });
  await failing.note();
  await seen(held, 'a');
  for (let n = 0; n < 30; n += 1) {
    held.clock.shift(3_000);
    isAway = true;
    await failing.note().catch(() => {});
    held.clock.shift(3_000);
    isAway = false;
    await failing.note();
  }
  equal(await held.counted(), 'a + 0 silent', 'the store was down between any two records');
  for (let n = 0; n < 20; n += 1) {
    held.clock.shift(NOTES_APART_MS_MAX + 1_000);
    await failing.note();
  }
  equal(await held.counted(), 'a + 0 silent', 'the process may have been stopped');
  deepEqual(await held.spans(), []);
});

test('setting the clock back makes no node uncounted', async (t) => {
  const held = await scene(t);
  await held.serve(200 * SECOND_MS);
  held.clock.shift(-HOUR_MS);
  await seen(held, 'a');
  await held.serve(50 * SECOND_MS);
  equal(await held.counted(), 'a + 0 silent');
  held.clock.shift(HOUR_MS);
  equal(await held.counted(), 'a + 0 silent');
});

test('the record of served time stays short, and is longer than any measured time', async (t) => {
  const held = await scene(t);
  ok(SERVED_KEPT_MS > NODE_KEPT_MS);
  for (let n = 0; n < 130; n += 1) {
    const server = held.another();
    await server.note();
    held.clock.shift(5_000);
    await server.note();
    held.clock.shift(20_000);
  }
  await held.another().note();
  const spans = await held.spans();
  ok(spans.length >= SERVED_KEPT_MS / 5_000 && spans.length <= 125, `${spans.length} spans`);
});

type Act = () => Promise<unknown>;

/** Revokes a key; runs `act` after the first read of the nodes, ends the wait after the second. */
async function revokedWhile(t: TestContext, held: Scene, { id, act }: { id: string; act: Act }) {
  let looks = 0;
  const once: Database['once'] = async (opening, statement) => {
    const answer = await held.world.db.once(opening, statement);
    if (!statement.text.includes('as is_counted')) return answer;
    looks += 1;
    if (looks === 1) await act();
    else void beside.app.stopServing();
    return answer;
  };
  const db = { ...held.world.db, once };
  const beside = appBeside(t, held.world, { db, revokeWaitMsMax: 60_000 });
  const call = beside.as(held.tokens.liveKey);
  const { propagation } = await call('POST /v1/keys/{id}/revoke', { id, wait: true });
  ok(looks > 1, 'the nodes were read only once');
  return { complete: propagation?.complete, names: propagation?.nodes.map((n) => n.node_id) };
}

test('a node that goes silent during a wait keeps its record in a full project', async (t) => {
  const held = await scene(t);
  const { id, project_id } = await held.given.key();
  const { version } = await readAll(held, { project_id });
  await insertNodes(held, project_id, { version, count: 9_999, seenAgo: '1 hour' });
  await held.serve(250 * SECOND_MS);
  await insertNodes(held, project_id, { version, count: 1, seenAgo: '0 s', name: 'victim' });
  await held.serve(95 * SECOND_MS);
  const act = async () => {
    await held.serve(20 * SECOND_MS);
    const asked = { project_id, node: 'new', since: version };
    await poll(held, delta, asked);
    await poll(held, delta, { ...asked, since: version + 1 });
  };
  const revoked = await revokedWhile(t, held, { id, act });
  deepEqual(revoked, { complete: false, names: ['new', 'victim1'] });
});

test('a node that goes silent during a wait is not pruned, even with an old record', async (t) => {
  const held = await scene(t);
  const { id, project_id } = await held.given.key();
  await insertNodes(held, project_id, { version: 1, count: 1, seenAgo: '8 days', name: 'victim' });
  await held.serve(95 * SECOND_MS);
  const act = async () => {
    await held.serve(20 * SECOND_MS);
    await pruneFeed(held.world.app.worker);
  };
  const revoked = await revokedWhile(t, held, { id, act });
  deepEqual(revoked, { complete: false, names: ['victim1'] });
});

test('no revocation is complete in a project that has no room for another node', async (t) => {
  const held = await scene(t);
  const { id, project_id } = await held.given.key();
  await insertNodes(held, project_id, { version: 1_000, count: 10_000, seenAgo: '0 days' });
  await poll(held, delta, { project_id, node: 'one-too-many', since: 2 });
  const { as } = appBeside(t, held.world, { revokeWaitMsMax: 20 });
  const input = { id, wait: true };
  const full = await as(held.tokens.liveKey)('POST /v1/keys/{id}/revoke', input);
  deepEqual([full.propagation?.complete, full.propagation?.acked_nodes], [false, 10_000]);
  await poll(held, delta, { project_id, node: 'node1', since: 2, leave: true });
  const roomy = await as(held.tokens.liveKey)('POST /v1/keys/{id}/revoke', input);
  deepEqual([roomy.propagation?.complete, roomy.propagation?.acked_nodes], [true, 9_999]);
});

type Inserted = { version: number; count: number; seenAgo: string; name?: string };

async function insertNodes(
  { world, workspaceId }: Bench,
  projectId: string,
  { version, count, seenAgo, name = 'node' }: Inserted,
): Promise<void> {
  const scope = { workspaceId, envs: ['live', 'test'] as const };
  const text = `insert into policy_nodes
      (project_id, node_id, env_scope, acked_version, last_seen_at)
    select $1, $2 || n, 'all', $3, app_now() - $4::interval from generate_series(1, $5) n`;
  const values = [projectId, name, version, seenAgo, count];
  const opening = { role: 'kr_record' as const, scope, deadline: deadlineAfter(10_000) };
  await world.db.once(opening, { text, values });
}

test('a server records served time once it listens, and a worker never does', async (t) => {
  const held = await bench(t);
  const { db, take } = traced(held.world.db);
  const isNote = ({ text }: { text: string }) => text.includes('insert into served_spans');
  const beside = appBeside(t, held.world, { db });
  await beside.app.prepare();
  await pruneFeed(beside.app.worker);
  await beside.as(held.tokens.liveKey)('GET /v1/workspace');
  equal(take().some(isNote), false);
  await beside.app.http.listen({ port: 0 });
  while (!take().some(isNote)) await sleep(10);
  await beside.app.stopServing();
});
