// A stopping node sends `leave`, after which revocations no longer wait for it.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { poll, readAll } from '@keyrail/testing/feed.ts';
import { ask, type Harness, harness, type Input, refused } from '@keyrail/testing/harness.ts';
import { appBeside, traced } from '@keyrail/testing/second-app.ts';
import { SECOND_MS } from '../../base/duration.ts';
import { pruneFeed } from './prune-feed.job.ts';

const delta = 'GET /v1/policy/delta';
const revoke = 'POST /v1/keys/{id}/revoke';

/** Revokes a key with a very short wait, and returns the nodes that the revocation counted. */
async function countedIn(t: TestContext, vendor: Harness, id: string) {
  const { as } = appBeside(t, vendor.testApp, { revokeWaitMsMax: 20 });
  const { propagation } = await as(vendor.tokens.liveKey)(revoke, { id, wait: true });
  ok(propagation);
  const { complete, silent_nodes, nodes } = propagation;
  return { complete, silent_nodes, names: nodes.map(({ node_id }) => node_id) };
}

test('a node without a name is removed as soon as it leaves, and is counted again after its next poll', async (t) => {
  const vendor = await harness(t);
  const { id, project_id } = await vendor.given.key();
  const { version: since } = await readAll(vendor, { project_id, node: 'old' });
  await readAll(vendor, { project_id, node: 'new' });
  const left = await poll(vendor, delta, { project_id, node: 'old', since, leave: true });
  equal(left.status, 304);
  const afterwards = await countedIn(t, vendor, id);
  deepEqual(afterwards, { complete: false, silent_nodes: 0, names: ['new'] });
  const behind = { project_id, node: 'new', since, leave: true };
  equal(
    (await poll(vendor, delta, behind)).page.changes.length,
    1,
    'a leaving node still gets its delta',
  );
  deepEqual(await countedIn(t, vendor, id), { complete: true, silent_nodes: 0, names: [] });

  await poll(vendor, delta, { project_id, node: 'old', since });
  deepEqual((await countedIn(t, vendor, id)).names, ['old']);
});

test('a waiting revocation completes when the node it is waiting for leaves', async (t) => {
  const vendor = await harness(t);
  const { id, project_id } = await vendor.given.key();
  const { version: since } = await readAll(vendor, { project_id, node: 'leaving' });
  await readAll(vendor, { project_id, node: 'staying' });
  const { db, take } = traced(vendor.testApp.db);
  const app = appBeside(t, vendor.testApp, { db, revokeWaitMsMax: 60_000 });
  const revoked = app.as(vendor.tokens.liveKey)(revoke, { id, wait: true });
  while (!take().some(({ text }) => text.includes('as is_counted'))) await sleep(10);
  await poll(vendor, delta, { project_id, node: 'leaving', since, leave: true });
  const { version } = await readAll(vendor, { project_id });
  await poll(vendor, delta, { project_id, node: 'staying', since: version });
  const { propagation } = await revoked;
  deepEqual([propagation?.complete, propagation?.acked_nodes], [true, 1]);
  deepEqual(
    propagation?.nodes.map(({ node_id }) => node_id),
    ['staying'],
  );
});

const named = (vendor: Harness) => ({
  authorization: `Bearer ${vendor.tokens.liveKey}`,
  'keyrail-node-name': 'pod',
});

test('a poll that arrives just after a node with a name has left is rejected, and the node is not counted', async (t) => {
  const vendor = await harness(t);
  const { id, project_id } = await vendor.given.key();
  const { version: since } = await readAll(vendor, { project_id, node: 'pod:known' });
  const nodes = ['pod:known', 'pod:overtaken'];
  for (const node of nodes) {
    equal(
      (await vendor.ask(delta, { project_id, node, since, leave: true }, named(vendor))).status,
      304,
    );
    const asked = { project_id, node };
    const late = [
      await vendor.ask('GET /v1/policy/snapshot', asked, named(vendor)),
      await vendor.ask(delta, { ...asked, since }, named(vendor)),
      await vendor.ask(delta, { ...asked, since: 1, wait_ms: 10 }, named(vendor)),
    ];
    deepEqual(
      late.map(({ status, body }) => [status, Object(body.error).code]),
      [
        [409, 'conflict'],
        [409, 'conflict'],
        [409, 'conflict'],
      ],
    );
  }
  const reported = [...nodes, 'alive'].map((node_id) => ({ node_id, version: since }));
  const report = { project_id, nodes: reported };
  deepEqual((await vendor.as.liveKey('POST /v1/policy/report', report)).left.toSorted(), nodes);
  deepEqual((await countedIn(t, vendor, id)).names, ['alive']);
  const { data } = await vendor.as.liveKey('GET /v1/policy/nodes', { project_id });
  deepEqual(
    data.map(({ node_id }) => node_id),
    ['alive'],
  );
});

test('a node with a name that polls a minute after leaving is counted again', async (t) => {
  const vendor = await harness(t);
  const { id, project_id } = await vendor.given.key();
  const asked = { project_id, node: 'pod:1', since: 2 };
  await vendor.ask(delta, { ...asked, leave: true }, named(vendor));
  await pruneFeed(vendor.testApp.app.worker);
  equal(
    (await vendor.ask(delta, asked, named(vendor))).status,
    409,
    'it is remembered for a minute',
  );
  vendor.clock.shift(61 * SECOND_MS);
  equal((await vendor.ask(delta, asked, named(vendor))).status, 304);
  deepEqual((await countedIn(t, vendor, id)).names, ['pod:1']);
  const [node] = (await vendor.as.liveKey('GET /v1/policy/nodes', { project_id })).data;
  equal(node?.first_seen_at, node?.last_seen_at);
});

test('records of nodes that have left do not use up other nodes’ space, and are pruned after a minute', async (t) => {
  const vendor = await harness(t);
  const { project_id } = await vendor.given.key();
  const { testApp, workspaceId } = vendor;
  const rows = async (text: string) => {
    const scope = { workspaceId, envs: ['live', 'test'] as const };
    const deadline = { remainingMs: () => 60_000 };
    const values = [project_id];
    return (await testApp.db.once({ role: 'kr_record', scope, deadline }, { text, values })).rows;
  };
  await rows(`insert into policy_nodes
      (project_id, node_id, env_scope, acked_version, last_seen_at, left_at)
    select $1, 'gone:' || n, 'all', 0, '-infinity', app_now() from generate_series(1, 10000) n`);
  const leaving = { project_id, since: 2, leave: true };
  await vendor.ask(delta, { ...leaving, node: 'pod:one-too-many' }, named(vendor));
  const count = `select count(*)::int as nodes from policy_nodes where project_id = $1`;
  deepEqual(await rows(count), [{ nodes: 10_000 }]);
  await readAll(vendor, { project_id, node: 'alive' });
  await vendor.ask(delta, { ...leaving, node: 'gone:1' }, named(vendor));
  deepEqual(await rows(count), [{ nodes: 10_001 }]);
  vendor.clock.shift(61 * SECOND_MS);
  await pruneFeed(testApp.app.worker);
  deepEqual(await rows(count), [{ nodes: 1 }]);
});

// If the poll were held, this test would exceed its time limit.
test('a poll with `leave` is not held, and must identify its node', {
  timeout: 25_000,
}, async (t) => {
  const vendor = await harness(t);
  const { project_id } = await vendor.given.key();
  const { db, take } = traced(vendor.testApp.db);
  const beside = appBeside(t, vendor.testApp, { db });
  const headers = { authorization: `Bearer ${vendor.tokens.liveKey}` };
  const asked = (more: Input) => ({
    input: { project_id, since: 2, leave: true, ...more },
    headers,
  });
  const nameless = await ask(beside, delta, asked({}));
  equal(nameless.status, 400, nameless.text);
  ok(nameless.text.includes('"node"'), nameless.text);
  const unknown = { node: 'unknown', wait_ms: 30_000 };
  take();
  equal((await ask(beside, delta, asked(unknown))).status, 304);
  equal((await ask(beside, delta, asked({ ...unknown, since: 0 }))).status, 200);
  const sent = take().filter(({ text }) => /(into|delete from) policy_nodes/.test(text));
  deepEqual(
    sent.map(({ text, count }) => [text.startsWith('delete'), count]),
    [
      [true, 0],
      [true, 0],
    ],
  );
});

test('a credential cannot report that a node outside its scope is leaving', async (t) => {
  const vendor = await harness(t);
  const other = await harness(t);
  const { id, project_id } = await vendor.given.key();
  const { version: since } = await readAll(vendor, { project_id, node: 'live', env: 'live' });
  await readAll(vendor, { project_id, node: 'all' });
  await refused(
    other.as.liveKey(delta, { project_id, node: 'live', env: 'live', since, leave: true }),
    404,
    'not_found',
  );
  for (const node of ['live', 'all']) {
    await vendor.ask(
      delta,
      { project_id, node, since, leave: true },
      {
        authorization: `Bearer ${vendor.tokens.testKey}`,
      },
    );
  }
  deepEqual((await countedIn(t, vendor, id)).names, ['all', 'live']);
});
