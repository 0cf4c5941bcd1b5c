// A workspace's summary: what the workspace contains, in one environment or both.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { servedTime } from '@keyrail/testing/served-time.ts';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';

const summary = 'GET /v1/workspace/summary';

const nothing = {
  object: 'workspace_summary',
  projects: 0,
  tenants: 0,
  keys: { active: 0, disabled: 0, expiring: 0, expired: 0, quarantined: 0, unused: 0 },
  nodes: {
    current: 0,
    behind: 0,
    silent: 0,
    connected: 0,
    connected_behind: 0,
    last_seen_at: null,
  },
  first_request_at: null,
  last_request_at: null,
  counted_max: 10_000,
};

test('an empty workspace contains only its secret keys', async (t) => {
  const { as } = await harness(t);
  deepEqual(await as.liveKey(summary), { ...nothing, secret_keys: 2 });
  deepEqual(await as.liveKey(summary, { env: 'live' }), { ...nothing, secret_keys: 1 });
  deepEqual(await as.testKey(summary), { ...nothing, secret_keys: 1 });
});

test('deleted projects and tenants, and revoked or expired secret keys, are not counted', async (t) => {
  const { as, given, clock } = await harness(t);
  const project = await given.project();
  await given.project();
  const tenant = await given.tenant();
  await as.liveKey('DELETE /v1/projects/{id}', { id: project.id });
  await as.liveKey('DELETE /v1/tenants/{id}', { id: tenant.id });
  const expires_at = new Date(clock.now().getTime() + 1000).toISOString();
  await as.liveKey('POST /v1/secret_keys', { env: 'live', expires_at });
  const ended = await as.liveKey('POST /v1/secret_keys', { env: 'live' });
  await as.liveKey('POST /v1/secret_keys/{id}/revoke', { id: ended.id });
  clock.shift(1000);
  const { projects, tenants, secret_keys } = await as.liveKey(summary, { env: 'live' });
  deepEqual({ projects, tenants, secret_keys }, { projects: 1, tenants: 0, secret_keys: 1 });
});

test('the summary for a key limited to certain projects covers only those projects', async (t) => {
  const { as, given, clock } = await harness(t);
  const key = await given.key();
  await as.liveKey('POST /v1/ingest/batch', batchOf([eventOf(key, clock.now())]));
  const { id } = await given.project();
  const made = await as.liveKey('POST /v1/secret_keys', { env: 'live', project_ids: [id] });
  deepEqual(await as.token(made.key)(summary), {
    ...nothing,
    projects: 1,
    tenants: 1,
    secret_keys: 1,
  });
});

test('the summary shows when the first and last requests were made in each environment', async (t) => {
  const app = await harness(t);
  const { as, given, clock } = app;
  const key = await given.key();
  const testKey = await given.key({ env: 'test' });
  const at = (minutes: number) => new Date(clock.now().getTime() - minutes * 60_000);
  const send = (...events: Record<string, unknown>[]) =>
    as.liveKey('POST /v1/ingest/batch', batchOf(events));
  const times = [at(30), at(60), at(10), at(20)] as const;
  const shown = (first: Date, last: Date) => [first.toISOString(), last.toISOString()];
  const told = async (caller: Harness['as']['liveKey'], query = {}) => {
    const { first_request_at, last_request_at } = await caller(summary, query);
    return [first_request_at, last_request_at];
  };
  await send(eventOf(key, times[0]));
  await send(eventOf(key, times[1]), eventOf(testKey, times[2]));
  await send(eventOf(key, times[3]));
  deepEqual(await told(as.liveKey, { env: 'live' }), shown(times[1], times[3]));
  deepEqual(await told(as.liveKey), shown(times[1], times[2]));
  deepEqual(await told(as.testKey), shown(times[2], times[2]));
});

test('nodes are counted by the state that the node list shows', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const { serve } = await servedTime(app);
  const key = await given.key();
  const poll = (node: string, more = {}) =>
    as.liveKey('GET /v1/policy/snapshot', { project_id: key.project_id, node, ...more });
  await poll('silent');
  await serve(101_000);
  const version = Number((await poll('behind'))?.version);
  const acked = { project_id: key.project_id, since: version };
  const authorization = `Bearer ${app.tokens.liveKey}`;
  await app.ask('GET /v1/policy/delta', { ...acked, node: 'current' }, { authorization });
  await app.ask(
    'GET /v1/policy/delta',
    { ...acked, node: 'other', env: 'test' },
    { authorization },
  );
  for (const [caller, query, sum] of [
    [as.liveKey, {}, 4],
    [as.liveKey, { env: 'live' }, 3],
    [as.testKey, {}, 1],
  ] as const) {
    const { nodes } = await caller(summary, query);
    const listed = await caller('GET /v1/policy/nodes', { project_id: key.project_id, ...query });
    const byState = { current: 0, behind: 0, silent: 0, connected: 0, connected_behind: 0 };
    for (const { state, connected } of listed.data) {
      byState[state] += 1;
      if (connected) byState.connected += 1;
      if (connected && state === 'behind') byState.connected_behind += 1;
    }
    deepEqual(nodes, { ...byState, last_seen_at: listed.data[0]?.last_seen_at });
    equal(nodes.current + nodes.behind + nodes.silent, sum);
    equal(nodes.silent, caller === as.liveKey ? 1 : 0);
  }
});
