// What dry runs count: keys, tenants, recent requests and nodes.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { type Harness, harness, type Input } from '@keyrail/testing/harness.ts';
import { servedTime } from '@keyrail/testing/served-time.ts';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';
import { DAY_MS, HOUR_MS } from '../../base/duration.ts';

type Key = Awaited<ReturnType<Harness['given']['key']>>;

/** Sets the clock to six in the morning, when a quarter of the day has passed. */
function atSix({ clock }: Harness): Date {
  const now = new Date(Date.parse('2031-03-10T06:00:00.000Z'));
  clock.shift(now.getTime() - clock.now().getTime());
  return now;
}

const ago = (now: Date, ms: number) => new Date(now.getTime() - ms);

async function use({ as }: Harness, key: Key, [at, times]: [Date, number]): Promise<void> {
  const events = Array.from({ length: times }, () => eventOf(key, at));
  const line = 'POST /v1/ingest/batch';
  await (key.env === 'live' ? as.liveKey : as.testKey)(line, batchOf(events));
}

/** Loads a snapshot as a node, which then counts as live. */
const node = (
  { as }: Harness,
  projectId: string,
  { name, env }: { name: string; env?: 'live' | 'test' },
) =>
  as.liveKey('GET /v1/policy/snapshot', { project_id: projectId, node: name, ...(env && { env }) });

const dry = async (app: Harness, line: Parameters<Harness['ask']>[0], input: Input) => {
  const headers = { authorization: `Bearer ${app.tokens.liveKey}` };
  const { status, body, text } = await app.ask(line, { ...input, dry_run: true }, headers);
  equal(status, 200, text);
  const { object: _, action: __, target_type: ___, target_id: ____, ...figures } = body;
  return figures;
};

const NOTHING = {
  keys: 0,
  capped: false,
  active_keys: 0,
  tenants: 0,
  requests_24h: 0,
  requests_7d: 0,
  last_used_at: null,
  nodes: 0,
  nodes_unable: 0,
  scopes_removed: [],
};

test('a dry run for a key shows its recent use and the nodes that have it', async (t) => {
  const app = await harness(t);
  const now = atSix(app);
  const key = await app.given.key({ scopes: ['a', 'b', 'c'] });
  await use(app, key, [ago(now, HOUR_MS), 3]);
  await use(app, key, [ago(now, DAY_MS), 4]); // three quarters of them count as the last 24 h
  await use(app, key, [ago(now, 3 * DAY_MS), 10]);
  await use(app, key, [ago(now, 7 * DAY_MS), 8]);
  await use(app, key, [ago(now, 8 * DAY_MS), 100]);
  await node(app, key.project_id, { name: 'all' });
  await node(app, key.project_id, { name: 'live', env: 'live' });
  await node(app, key.project_id, { name: 'test', env: 'test' });
  await node(app, (await app.given.project()).id, { name: 'elsewhere' });
  const expected = {
    ...NOTHING,
    keys: 1,
    active_keys: 1,
    tenants: 1,
    requests_24h: 3 + 3,
    requests_7d: 3 + 4 + 10 + 6,
    last_used_at: ago(now, HOUR_MS).toISOString(),
    nodes: 2,
  };
  const { id } = key;
  for (const line of [
    'POST /v1/keys/{id}/revoke',
    'POST /v1/keys/{id}/disable',
    'POST /v1/keys/{id}/rotate',
  ] as const) {
    deepEqual(await dry(app, line, { id }), expected, line);
  }
  const patched = await dry(app, 'PATCH /v1/keys/{id}', { id, scopes: ['b', 'd'] });
  deepEqual(patched, { ...expected, scopes_removed: ['a', 'c'] });
  const untouched = { ...NOTHING, nodes: 2 };
  deepEqual(await dry(app, 'PATCH /v1/keys/{id}', { id, scopes: ['a', 'b', 'c'] }), untouched);
  await (await servedTime(app)).serve(100_001);
  deepEqual(
    await dry(app, 'POST /v1/keys/{id}/revoke', { id }),
    { ...expected, nodes: 0 },
    'a silent node is not counted',
  );
  await app.as.liveKey('POST /v1/keys/{id}/disable', { id });
  deepEqual(await dry(app, 'POST /v1/keys/{id}/disable', { id }), NOTHING);
  deepEqual(
    await dry(app, 'POST /v1/keys/{id}/revoke', { id }),
    { ...expected, nodes: 0, active_keys: 0 },
    'a disabled key is not usable',
  );
  await app.as.liveKey('POST /v1/keys/{id}/revoke', { id });
  deepEqual(await dry(app, 'POST /v1/keys/{id}/revoke', { id }), NOTHING, 'already revoked');
});

test('a dry run for a tenant or a project covers all its unrevoked keys', async (t) => {
  const app = await harness(t);
  const { given, as } = app;
  const now = atSix(app);
  await servedTime(app);
  const soon = new Date(now.getTime() + HOUR_MS).toISOString();
  const first = await given.key();
  const place = { project_id: first.project_id, tenant_id: first.tenant_id };
  const inherits = await given.key({ ...place, env: 'test' });
  await given.key({ ...place, expires_at: soon, rate_limits: [] });
  const revoked = await given.key(place);
  await as.liveKey('POST /v1/keys/{id}/revoke', { id: revoked.id });
  const neighbour = await given.key({ project_id: first.project_id });
  const elsewhere = await given.key({ tenant_id: first.tenant_id });
  await use(app, first, [now, 2]);
  await use(app, inherits, [now, 3]);
  await use(app, revoked, [now, 50]);
  await use(app, neighbour, [ago(now, 2 * DAY_MS), 7]);
  await node(app, first.project_id, { name: 'one' });
  await node(app, first.project_id, { name: 'two', env: 'test' });
  await node(app, elsewhere.project_id, { name: 'three', env: 'live' });
  await node(app, elsewhere.project_id, { name: 'unconcerned', env: 'test' });
  app.clock.shift(HOUR_MS); // one key expires; the nodes still count as live
  deepEqual(await dry(app, 'DELETE /v1/tenants/{id}', { id: first.tenant_id }), {
    ...NOTHING,
    keys: 4,
    active_keys: 3,
    tenants: 1,
    requests_24h: 5,
    requests_7d: 5,
    last_used_at: now.toISOString(),
    nodes: 3,
  });
  const project = { id: first.project_id };
  const whole = {
    ...NOTHING,
    keys: 4,
    active_keys: 3,
    tenants: 2,
    requests_24h: 5,
    requests_7d: 12,
    last_used_at: now.toISOString(),
    nodes: 2,
  };
  deepEqual(await dry(app, 'DELETE /v1/projects/{id}', project), whole);
  const limits = [{ id: 'm', limit: 5, window_ms: 60_000, algorithm: 'sliding', scope: 'key' }];
  deepEqual(
    await dry(app, 'PATCH /v1/projects/{id}', { ...project, default_rate_limits: limits }),
    { ...whole, keys: 3 },
    'one key has its own limits',
  );
  deepEqual(
    await dry(app, 'PATCH /v1/projects/{id}', { ...project, name: 'Renamed' }),
    { ...NOTHING, nodes: 2 },
    'a new name affects no keys',
  );
});

test('a dry run for a secret key shows its last use and the nodes that could be using it', async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  await servedTime(app);
  const { id: projectId } = await given.project();
  await node(app, projectId, { name: 'all' });
  await node(app, projectId, { name: 'test', env: 'test' });
  const made = await as.liveKey('POST /v1/secret_keys', { env: 'live' });
  const one = { ...NOTHING, keys: 1, active_keys: 1, nodes: 2 };
  const line = 'POST /v1/secret_keys/{id}/revoke';
  deepEqual(await dry(app, line, { id: made.id }), one, 'never used');
  await as.token(made.key)('GET /v1/workspace');
  const { last_used_at } = await as.liveKey('GET /v1/secret_keys/{id}', { id: made.id });
  for (const each of [line, 'POST /v1/secret_keys/{id}/rotate'] as const) {
    deepEqual(await dry(app, each, { id: made.id }), { ...one, last_used_at }, each);
  }
  const test = await as.liveKey('POST /v1/secret_keys', { env: 'test' });
  deepEqual(await dry(app, line, { id: test.id }), { ...one, nodes: 1 });
  await as.liveKey(line, { id: made.id });
  deepEqual(await dry(app, line, { id: made.id }), { ...NOTHING, nodes: 2 });
});

test('a dry run for a member shows the secret keys that the member created', async (t) => {
  const app = await harness(t);
  const admin = await app.people.admin();
  const other = await app.people.owner();
  const line = 'DELETE /v1/members/{userId}';
  const member = { userId: admin.userId };
  deepEqual(await dry(app, line, member), NOTHING);
  const first = await admin.call('POST /v1/secret_keys', { env: 'live' });
  const soon = new Date(app.clock.now().getTime() + HOUR_MS).toISOString();
  await admin.call('POST /v1/secret_keys', { env: 'test', expires_at: soon });
  const mistake = await admin.call('POST /v1/secret_keys', { env: 'live' });
  await admin.call('POST /v1/secret_keys/{id}/revoke', { id: mistake.id });
  const theirs = await other.call('POST /v1/secret_keys', { env: 'live' });
  const rotated = await admin.call('POST /v1/secret_keys/{id}/rotate', { id: theirs.id });
  await app.as.token(rotated.key)('GET /v1/workspace');
  const { last_used_at } = await app.as.liveKey('GET /v1/secret_keys/{id}', { id: rotated.id });
  deepEqual(await dry(app, line, member), { ...NOTHING, keys: 3, active_keys: 3, last_used_at });
  app.clock.shift(2 * HOUR_MS);
  const later = await dry(app, line, member);
  deepEqual([later.keys, later.active_keys], [3, 2], 'one has expired');
  await admin.call('POST /v1/secret_keys/{id}/revoke', { id: first.id });
  equal((await dry(app, line, member)).keys, 2);
});
