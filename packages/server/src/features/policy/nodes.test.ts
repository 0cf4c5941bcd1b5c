// The node list: states, order, pages, and what a test key sees.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { poll, readAll } from '@keyrail/testing/feed.ts';
import { ask, type Harness, harness, type Input, refused } from '@keyrail/testing/harness.ts';
import { appBeside, traced } from '@keyrail/testing/second-app.ts';
import { servedTime } from '@keyrail/testing/served-time.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../base/duration.ts';
import { sdkNameIn } from './node-headers.ts';

const list = 'GET /v1/policy/nodes';
const delta = 'GET /v1/policy/delta';

const acked = (app: Harness, asked: Input) => poll(app, delta, asked);

const namesIn = async ({ as }: Harness, input: Input) =>
  (await as.liveKey(list, input)).data.map(({ node_id }) => node_id);

test('a node is listed as current, behind or silent; a silent node is listed with its last version', async (t) => {
  const app = await harness(t);
  const { serve } = await servedTime(app);
  const { project_id } = await app.given.key();
  await acked(app, { project_id, node: 'silent', since: 2 });
  await serve(60 * SECOND_MS);
  await acked(app, { project_id, node: 'behind', since: 2 });
  await app.given.key({ project_id });
  await serve(41 * SECOND_MS);
  await acked(app, { project_id, node: 'current', since: 3 });
  const { data } = await app.as.liveKey(list, { project_id });
  deepEqual(
    data.map(({ node_id, state, version, current_version }) => [
      node_id,
      state,
      version,
      current_version,
    ]),
    [
      ['current', 'current', 3, 3],
      ['behind', 'behind', 2, 3],
      ['silent', 'silent', 2, 3],
    ],
  );
  app.clock.shift(DAY_MS);
  const states = async () =>
    (await app.as.liveKey(list, { project_id })).data.map(({ state }) => state);
  deepEqual(
    await states(),
    ['current', 'behind', 'silent'],
    'no node becomes silent during an outage',
  );
});

test('the list shows all of a node’s fields, including the SDK from its header', async (t) => {
  const app = await harness(t);
  const { project_id } = await app.given.key();
  const headers = { authorization: `Bearer ${app.tokens.liveKey}` };
  const asked = { project_id, node: 'edge-1', since: 2 };
  await app.ask(delta, asked, { ...headers, 'keyrail-sdk': '@keyrail/sdk/0.1.0' });
  app.clock.shift(HOUR_MS);
  await app.ask(delta, asked, { ...headers, 'keyrail-sdk': '@keyrail/sdk/0.2.0' });
  const { data } = await app.as.liveKey(list, { project_id });
  const [node] = data;
  ok(node);
  const lived = Date.parse(node.last_seen_at) - Date.parse(node.first_seen_at);
  ok(lived >= HOUR_MS && lived < 2 * HOUR_MS, `${lived}`);
  deepEqual(data, [
    {
      object: 'policy_node',
      node_id: 'edge-1',
      project_id,
      env_scope: 'all',
      version: 2,
      current_version: 2,
      state: 'current',
      connected: true,
      sdk: { name: '@keyrail/sdk', version: '0.2.0' },
      understands: [],
      first_seen_at: node.first_seen_at,
      last_seen_at: node.last_seen_at,
    },
  ]);
  await acked(app, { project_id, node: 'nameless', since: 2 });
  const [nameless] = (await app.as.liveKey(list, { project_id })).data;
  deepEqual([nameless?.node_id, nameless?.sdk], ['nameless', null]);
});

test('an SDK header without a valid name and version is ignored', () => {
  deepEqual(sdkNameIn('python-sdk/1.2.3-rc.1+7'), { name: 'python-sdk', version: '1.2.3-rc.1+7' });
  for (const header of [
    undefined,
    '',
    '/',
    'sdk',
    'sdk/',
    '/1.0',
    'sdk 1.0',
    'sdk/1 0',
    '<b>/1.0',
    'sdk/1.0\n',
    `${'s'.repeat(65)}/1.0`,
    `sdk/${'1'.repeat(33)}`,
  ]) {
    equal(sdkNameIn(header), null, header);
  }
});

test('a changed SDK version alone does not cause a write when a known node polls', async (t) => {
  const app = await harness(t);
  const { project_id } = await app.given.key();
  const { db, take } = traced(app.testApp.db);
  const beside = appBeside(t, app.testApp, { db });
  const writes = async (sdk: string) => {
    take();
    const headers = { authorization: `Bearer ${app.tokens.liveKey}`, 'keyrail-sdk': sdk };
    const input = { project_id, node: 'edge-1', since: 2 };
    equal((await ask(beside, delta, { input, headers })).status, 304);
    return take().filter(({ text }) => /^\s*(insert|update|delete)\b.*policy_nodes/is.test(text))
      .length;
  };
  equal(await writes('sdk/1'), 1);
  equal(await writes('sdk/2'), 0);
  app.clock.shift(11 * SECOND_MS);
  equal(await writes('sdk/2'), 1, 'it is recorded with the next write');
  const [node] = (await app.as.liveKey(list, { project_id })).data;
  equal(node?.sdk?.version, '2');
});

test('pages list every node once, most recently seen first', async (t) => {
  const app = await harness(t);
  const { project_id } = await app.given.key();
  const scopes = [{}, { env: 'live' }, { env: 'test' }];
  for (const name of ['c', 'a', 'b']) {
    for (const scope of scopes) await readAll(app, { project_id, node: name, ...scope });
  }
  const whole = (await app.as.liveKey(list, { project_id })).data;
  equal(whole.length, 9);
  const times = whole.map(({ last_seen_at }) => last_seen_at);
  deepEqual(times, times.toSorted().reverse());
  for (const limit of [1, 2, 4]) {
    const paged: unknown[] = [];
    let cursor: string | undefined;
    do {
      const headers = { authorization: `Bearer ${app.tokens.liveKey}` };
      const input = { project_id, limit, ...(cursor && { cursor }) };
      const { status, text, body, link } = await pageOf(app, input, headers);
      equal(status, 200, text);
      paged.push(...(body.data as unknown[]));
      cursor = link;
    } while (cursor);
    deepEqual(paged, whole, `limit ${limit}`);
  }
});

/** Returns one page, with the cursor from its link to the next page. */
async function pageOf(app: Harness, input: Input, headers: Record<string, string>) {
  const answer = await app.ask(list, input, headers);
  const link = /[?&]cursor=([^&>]+)/.exec(String(answer.headers.link ?? ''))?.[1];
  return { ...answer, link: link && decodeURIComponent(link) };
}

test('nodes seen at the same moment are listed in order of ID and scope, even across pages', async (t) => {
  const app = await harness(t);
  const { project_id } = await app.given.key();
  const { testApp, workspaceId } = app;
  const scope = { workspaceId, envs: ['live', 'test'] as const };
  const deadline = { remainingMs: () => 10_000 };
  await testApp.db.once(
    { role: 'kr_record', scope, deadline },
    {
      text: `insert into policy_nodes (project_id, node_id, env_scope, acked_version, last_seen_at)
        select $1, node, scope, 1, moment.at
        from (select app_now() as at) moment, unnest(array['a', 'b']) node,
          unnest(array['all', 'live', 'test']) scope`,
      values: [project_id],
    },
  );
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const headers = { authorization: `Bearer ${app.tokens.liveKey}` };
    const input = { project_id, limit: 1, ...(cursor && { cursor }) };
    const { body, link } = await pageOf(app, input, headers);
    for (const { node_id, env_scope, first_seen_at, last_seen_at } of body.data as Node[]) {
      names.push(`${node_id} ${env_scope}`);
      equal(
        first_seen_at,
        last_seen_at,
        'if the first poll has no recorded time, the last poll is shown',
      );
    }
    cursor = link;
  } while (cursor);
  deepEqual(names, ['b test', 'b live', 'b all', 'a test', 'a live', 'a all']);
});

type Node = { node_id: string; env_scope: string; first_seen_at: string; last_seen_at: string };

test('the list can be filtered by environment, and a test key sees only test nodes', async (t) => {
  const app = await harness(t);
  const { project_id } = await app.given.key();
  await readAll(app, { project_id, node: 'both' });
  await readAll(app, { project_id, node: 'live', env: 'live' });
  await readAll(app, { project_id, node: 'test', env: 'test' });
  deepEqual(await namesIn(app, { project_id }), ['test', 'live', 'both']);
  deepEqual(await namesIn(app, { project_id, env: 'live' }), ['live', 'both']);
  deepEqual(await namesIn(app, { project_id, env: 'test' }), ['test', 'both']);
  for (const input of [{ project_id }, { project_id, env: 'test' }]) {
    const { data } = await app.as.testKey(list, input);
    deepEqual(
      data.map(({ node_id }) => node_id),
      ['test'],
    );
  }
  await refused(app.as.testKey(list, { project_id, env: 'live' }), 403, 'forbidden');
});

test('a node that leaves, or is silent for 7 days, is removed from the list', async (t) => {
  const app = await harness(t);
  const { project_id } = await app.given.key();
  await readAll(app, { project_id, node: 'old' });
  await acked(app, { project_id, node: 'leaving', since: 2 });
  app.clock.shift(7 * DAY_MS - HOUR_MS);
  deepEqual(await namesIn(app, { project_id }), ['leaving', 'old']);
  await poll(app, delta, { project_id, node: 'leaving', since: 2, leave: true });
  deepEqual(await namesIn(app, { project_id }), ['old']);
  app.clock.shift(2 * HOUR_MS);
  deepEqual(await namesIn(app, { project_id }), []);
});

test('members can read the node list without causing a write; other workspaces get a 404', async (t) => {
  const app = await harness(t);
  const { project_id } = await app.given.key();
  await readAll(app, { project_id, node: 'edge-1' });
  const { call } = await app.people.member();
  equal((await call(list, { project_id })).data.length, 1);
  const stranger = await harness(t);
  await refused(stranger.as.liveKey(list, { project_id }), 404, 'not_found');
  const { db, take } = traced(app.testApp.db);
  const beside = appBeside(t, app.testApp, { db });
  await beside.as(app.tokens.liveKey)(list, { project_id });
  deepEqual(
    take().filter(({ text }) => /policy_nodes/.test(text) && !/^\s*select/i.test(text)),
    [],
  );
});
