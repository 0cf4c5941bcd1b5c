// Which nodes are shown as connected, and which have been replaced by a node with the same name.
// Revocations wait for both.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf } from '@keyrail/testing/address.ts';
import { type Harness, harness, type Input } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { servedTime } from '@keyrail/testing/served-time.ts';
import { until } from '@keyrail/testing/until.ts';
import { SECOND_MS } from '../../base/duration.ts';

const list = 'GET /v1/policy/nodes';
const delta = 'GET /v1/policy/delta';
const INTERVAL_MS = 10_000;
/**
 * The poll interval, plus 10 s because the latest poll may be unrecorded, plus 5 s in case the next
 * poll is late.
 */
const CONNECTED_MS = INTERVAL_MS + 15 * SECOND_MS;

async function scene(app: Harness) {
  const { id: keyId, project_id } = await app.given.key();
  const headersOf = (name: string) => ({
    authorization: `Bearer ${app.tokens.liveKey}`,
    'keyrail-node-name': name,
    'keyrail-poll-interval': String(INTERVAL_MS),
  });
  /** The node with the ID `web:1` has the name `web`. */
  const poll = async (node: string, more: Input = {}) => {
    const [name = ''] = node.split(':');
    const input = { project_id, node, since: 2, ...more };
    equal((await app.ask(delta, input, headersOf(name))).status, 304);
  };
  const listed = async () => {
    const { data } = await app.as.liveKey(list, { project_id });
    return data.map(({ node_id, connected }) => `${node_id}${connected ? '' : ' away'}`).toSorted();
  };
  return { keyId, project_id, headersOf, poll, listed };
}

test('a node that restarts under the same name replaces the old node in the list', async (t) => {
  const app = await harness(t);
  const { keyId, poll, listed } = await scene(app);
  await poll('web:1');
  await poll('api:1');
  app.clock.shift(CONNECTED_MS + 1);
  deepEqual(await listed(), ['api:1 away', 'web:1 away']);
  await poll('web:2');
  deepEqual(await listed(), ['api:1 away', 'web:2']);
  const { nodes } = await app.as.liveKey('GET /v1/workspace/summary');
  deepEqual([nodes.current, nodes.connected], [2, 1]);

  const { as } = appBeside(t, app.testApp, { revokeWaitMsMax: 20 });
  const { propagation } = await as(app.tokens.liveKey)('POST /v1/keys/{id}/revoke', {
    id: keyId,
    wait: true,
  });
  const awaited = propagation?.nodes.map(({ node_id }) => node_id);
  deepEqual(awaited, ['api:1', 'web:1', 'web:2'], 'the old node may still verify keys');
  equal(propagation?.complete, false);
});

test('a replaced node that polls again is listed again', async (t) => {
  const app = await harness(t);
  const { poll, listed } = await scene(app);
  await poll('web:1');
  app.clock.shift(CONNECTED_MS + 1);
  await poll('web:2');
  app.clock.shift(SECOND_MS);
  await poll('web:1');
  deepEqual(await listed(), ['web:1', 'web:2']);
  app.clock.shift(CONNECTED_MS + 1);
  deepEqual(await listed(), ['web:1 away', 'web:2 away'], 'neither began after the other ended');
});

test('ten connected nodes with the same name all stay listed', async (t) => {
  const app = await harness(t);
  const { poll, listed } = await scene(app);
  const nodes = Array.from({ length: 10 }, (_, at) => `web:${at}`);
  for (const node of nodes) {
    await poll(node);
    app.clock.shift(SECOND_MS);
  }
  deepEqual(await listed(), nodes);
  for (let round = 0; round < 3; round += 1) {
    app.clock.shift(INTERVAL_MS);
    for (const node of nodes) await poll(node);
    deepEqual(await listed(), nodes);
  }
});

test('a node is only replaced by a node with the same name, environment and project', async (t) => {
  const app = await harness(t);
  const { poll, listed, project_id, headersOf } = await scene(app);
  const other = await app.given.key();
  await poll('web:1');
  app.clock.shift(CONNECTED_MS + 1);
  await poll('web:2', { env: 'live' });
  await poll('web-2:1');
  const elsewhere = { project_id: other.project_id, node: 'web:3', since: 2 };
  await app.ask(delta, elsewhere, headersOf('web'));
  const unnamed = { project_id, node: 'web:4', since: 2 };
  await app.ask(delta, unnamed, { authorization: `Bearer ${app.tokens.liveKey}` });
  deepEqual(await listed(), ['web-2:1', 'web:1 away', 'web:2', 'web:4']);
});

test('a node counts as connected only until its next poll is overdue, even if revocations still wait for it', async (t) => {
  const app = await harness(t);
  const { serve } = await servedTime(app);
  const { project_id, poll, listed } = await scene(app);
  await poll('plain:1');
  await app.ask(
    delta,
    { project_id, node: 'old', since: 2 },
    { authorization: `Bearer ${app.tokens.liveKey}` },
  );
  const nodes = [{ node_id: 'relayed', name: 'relayed', next_poll_ms: 1_000, version: 2 }];
  await app.as.liveKey('POST /v1/policy/report', { project_id, nodes });
  deepEqual(await listed(), ['old', 'plain:1', 'relayed']);
  await serve(17 * SECOND_MS);
  deepEqual(await listed(), ['old', 'plain:1', 'relayed away']);
  await serve(10 * SECOND_MS);
  deepEqual(await listed(), ['old', 'plain:1 away', 'relayed away']);
  await serve(60 * SECOND_MS);
  const { data } = await app.as.liveKey(list, { project_id });
  deepEqual([...new Set(data.map(({ state }) => state))], ['current']);
  deepEqual(
    await listed(),
    ['old', 'plain:1 away', 'relayed away'],
    'it did not announce how often it polls',
  );
  const { nodes: counts } = await app.as.liveKey('GET /v1/workspace/summary');
  const [newest] = data;
  deepEqual([counts.current, counts.connected, counts.connected_behind], [3, 1, 0]);
  equal(counts.last_seen_at, newest?.last_seen_at);
});

test('a node killed while its poll is held is no longer connected', async (t) => {
  const app = await harness(t);
  const { project_id, headersOf, poll, listed } = await scene(app);
  const url = await addressOf(app.testApp);
  const hold = (node: string) => {
    const killed = new AbortController();
    const query = `project_id=${project_id}&node=${node}&since=2&wait_ms=30000`;
    const { signal } = killed;
    const headers = headersOf('web');
    const held = fetch(`${url}${delta.slice(4)}?${query}`, { headers, signal }).catch(() => null);
    return { kill: () => killed.abort(), held };
  };
  const first = hold('web:1');
  await until(async () => (await listed()).includes('web:1'));
  await poll('web:2');
  deepEqual(await listed(), ['web:1', 'web:2'], 'its poll is still held');
  first.kill();
  await until(async () => (await listed()).length === 1);
  deepEqual(await listed(), ['web:2'], 'a node with its name has started since');
  equal(await first.held, null);

  const second = hold('web:1');
  await until(async () => (await listed()).includes('web:1'));
  ok((await listed()).includes('web:2'));
  second.kill();
  await until(async () => (await listed()).includes('web:1 away'));
});

test('an invalid node name is rejected, and an invalid poll interval is ignored', async (t) => {
  const app = await harness(t);
  const { project_id, headersOf } = await scene(app);
  const input = { project_id, node: 'web:1', since: 2 };
  const asked = (more: object) => app.ask(delta, input, { ...headersOf('web'), ...more });
  equal((await asked({ 'keyrail-node-name': 'two words' })).status, 400);
  equal((await asked({ 'keyrail-poll-interval': 'soon' })).status, 304);
  equal((await asked({ 'keyrail-poll-interval': '999999999' })).status, 304);
  app.clock.shift(106 * SECOND_MS);
  const { data } = await app.as.liveKey(list, { project_id });
  deepEqual(
    data.map(({ connected }) => connected),
    [false],
    'no interval is longer than 90 seconds',
  );
});
