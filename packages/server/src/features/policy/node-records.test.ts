// Node records: when they are written, how many are allowed, and when they are deleted.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { ask, type Harness, harness, type Input } from '@keyrail/testing/harness.ts';
import { appBeside, traced } from '@keyrail/testing/second-app.ts';
import { servedTime } from '@keyrail/testing/served-time.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../base/duration.ts';
import type { Statement } from '../../db/database.ts';
import { pruneFeed } from './prune-feed.job.ts';

const snapshot = 'GET /v1/policy/snapshot';
const delta = 'GET /v1/policy/delta';

async function runAsRecord({ testApp, workspaceId }: Harness, statement: Statement) {
  const scope = { workspaceId, envs: ['live', 'test'] as const };
  const deadline = { remainingMs: () => 10_000 };
  return (await testApp.db.once({ role: 'kr_record', scope, deadline }, statement)).rows;
}

const nodesOf = (app: Harness, projectId: string) =>
  runAsRecord(app, {
    text: `select node_id, env_scope, acked_version from policy_nodes
      where project_id = $1 order by node_id, env_scope`,
    values: [projectId],
  });

/** Polls, and reports whether a node record was written. */
function watched(t: Parameters<typeof appBeside>[0], app: Harness) {
  const { db, take } = traced(app.testApp.db);
  const beside = appBeside(t, app.testApp, { db });
  return async (line: typeof snapshot | typeof delta, input: Input) => {
    take();
    const headers = { authorization: `Bearer ${app.tokens.liveKey}` };
    const { status } = await ask(beside, line, { input, headers });
    const isWritten = take().some(({ text }) => text.includes('into policy_nodes'));
    return { status, isWritten };
  };
}

test('a node’s record is written when the node is new, its version has changed, or the record is stale', async (t) => {
  const app = await harness(t);
  const { project_id } = await app.given.key();
  const poll = watched(t, app);
  const node = 'edge-1';
  const at = (since: number) => ({ project_id, node, since });

  deepEqual(await poll(delta, at(2)), { status: 304, isWritten: true });
  deepEqual(await poll(delta, at(2)), { status: 304, isWritten: false });
  deepEqual(await poll(snapshot, { project_id, node }), { status: 200, isWritten: false });
  app.clock.shift(31 * SECOND_MS);
  deepEqual(await poll(delta, at(2)), { status: 304, isWritten: true });
  deepEqual(await poll(delta, at(2)), { status: 304, isWritten: false });
  await app.given.key({ project_id });
  deepEqual(await poll(delta, at(2)), { status: 200, isWritten: false });
  deepEqual(await poll(delta, at(3)), { status: 304, isWritten: true });
  deepEqual(await nodesOf(app, project_id), [{ nodeId: node, envScope: 'all', ackedVersion: 3 }]);
});

test('a node may acknowledge an older version, but not one above the project’s', async (t) => {
  const app = await harness(t);
  const { project_id } = await app.given.key();
  const poll = watched(t, app);
  const node = 'edge-1';
  const acked = async () => (await nodesOf(app, project_id))[0]?.ackedVersion;

  await poll(snapshot, { project_id, node });
  equal(await acked(), 0, 'loading a snapshot acknowledges nothing');
  await poll(delta, { project_id, node, since: 2 });
  equal(await acked(), 2);
  deepEqual(await poll(delta, { project_id, node, since: 9 }), { status: 200, isWritten: false });
  equal(await acked(), 2);
  deepEqual(await poll(delta, { project_id, node, since: 0 }), { status: 200, isWritten: false });
  equal(await acked(), 2);
  await poll(delta, { project_id, node, since: 1 });
  equal(await acked(), 1, 'the node restarted from an old cache');
});

test('an ID used in two environment scopes counts as two nodes; polls without an ID are not recorded', async (t) => {
  const app = await harness(t);
  const { project_id } = await app.given.key();
  const poll = watched(t, app);
  await poll(delta, { project_id, since: 2 });
  await poll(delta, { project_id, since: 2, node: 'a', env: 'test' });
  await poll(delta, { project_id, since: 2, node: 'a' });
  deepEqual(
    (await nodesOf(app, project_id)).map(({ nodeId, envScope }) => [nodeId, envScope]),
    [
      ['a', 'all'],
      ['a', 'test'],
    ],
  );
});

test('once a scope has 10,000 nodes, known nodes are still updated, but new ones are not recorded', async (t) => {
  const app = await harness(t);
  const { project_id } = await app.given.key();
  const other = await app.given.key();
  await runAsRecord(app, {
    text: `insert into policy_nodes (project_id, node_id, env_scope, acked_version, last_seen_at)
      select $1, 'node-' || n, 'all', 1, app_now() from generate_series(1, 10000) n`,
    values: [project_id],
  });
  const poll = watched(t, app);
  const count = async (id: string) => (await nodesOf(app, id)).length;
  equal((await poll(delta, { project_id, since: 2, node: 'one-too-many' })).status, 304);
  equal(await count(project_id), 10_000);
  await poll(delta, { project_id, since: 2, node: 'node-7' });
  const known = (await nodesOf(app, project_id)).find(({ nodeId }) => nodeId === 'node-7');
  equal(known?.ackedVersion, 2);
  await poll(delta, { project_id: other.project_id, since: 2, node: 'one-too-many' });
  equal(await count(other.project_id), 1);
});

test('when a scope has its maximum number of nodes, a new node replaces a silent one and is counted', async (t) => {
  const app = await harness(t);
  const { serve } = await servedTime(app);
  const { id, project_id } = await app.given.key();
  await serve(300 * SECOND_MS);
  await runAsRecord(app, {
    text: `insert into policy_nodes (project_id, node_id, env_scope, acked_version, last_seen_at)
      select $1, 'node-' || n, 'all', 1,
        app_now() - case when n <= 10 then interval '80 s' else interval '230 s' end
      from generate_series(1, 10000) n`,
    values: [project_id],
  });
  const poll = watched(t, app);
  await poll(delta, { project_id, since: 2, node: 'alive' });
  const names = (await nodesOf(app, project_id)).map(({ nodeId }) => nodeId);
  equal(names.length, 11, 'recently seen nodes are kept');
  equal(names.includes('alive'), true);
  const beside = appBeside(t, app.testApp, { revokeWaitMsMax: 20 });
  const { propagation } = await beside.as(app.tokens.liveKey)('POST /v1/keys/{id}/revoke', {
    id,
    wait: true,
  });
  deepEqual([propagation?.complete, propagation?.total_nodes], [false, 11]);
});

test('a test key cannot use up the space for live nodes by inventing node IDs', async (t) => {
  const app = await harness(t);
  const { project_id } = await app.given.key();
  await runAsRecord(app, {
    text: `insert into policy_nodes (project_id, node_id, env_scope, acked_version, last_seen_at)
      select $1, 'made-up-' || n, 'test', 1, app_now() from generate_series(1, 10000) n`,
    values: [project_id],
  });
  const poll = watched(t, app);
  for (const asked of [{}, { env: 'live' }]) {
    await poll(delta, { project_id, since: 2, node: 'edge-1', ...asked });
  }
  const live = (await nodesOf(app, project_id)).filter(({ nodeId }) => nodeId === 'edge-1');
  deepEqual(
    live.map(({ envScope }) => envScope),
    ['all', 'live'],
  );
});

test('a node that has been silent for a week is deleted', async (t) => {
  const app = await harness(t);
  const { serve } = await servedTime(app);
  const { project_id } = await app.given.key();
  const poll = watched(t, app);
  await poll(delta, { project_id, since: 2, node: 'gone' });
  app.clock.shift(2 * HOUR_MS);
  await poll(delta, { project_id, since: 2, node: 'here' });
  app.clock.shift(7 * DAY_MS - HOUR_MS);
  await serve(300 * SECOND_MS);
  await pruneFeed(app.testApp.app.worker);
  deepEqual(
    (await nodesOf(app, project_id)).map(({ nodeId }) => nodeId),
    ['here'],
  );
});
