// Usage of several keys in one request, and the filters for tenant activity.
import { deepEqual, equal } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Harness, harness, refused } from '@keyrail/testing/harness.ts';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';
import { DAY_MS } from '../../base/duration.ts';

const keysUsage = 'GET /v1/usage/keys';
const tenants = 'GET /v1/usage/tenants';

/** Two live keys and a test key from different tenants and projects, each used on two days. */
async function busy(app: Harness) {
  const { as, given, clock } = app;
  const keys = [await given.key(), await given.key(), await given.key({ env: 'test' })];
  const now = clock.now();
  const events = keys.flatMap((key) =>
    [0, 2 * DAY_MS].map((ago) => eventOf(key, new Date(now.getTime() - ago))),
  );
  await as.liveKey('POST /v1/ingest/batch', batchOf(events));
  return keys;
}

test('usage requested for several keys is the same as for each key alone, in the requested order', async (t) => {
  const app = await harness(t);
  const [one, two, three] = (await busy(app)).map(({ id }) => id);
  const asked = [three, one, randomUUID(), two, one].map(String);
  for (const days of [1, 7]) {
    const each = [three, one, two].map((id) =>
      app.as.member('GET /v1/keys/{id}/usage', { id, days }),
    );
    const { data } = await app.as.member(keysUsage, { key_id: asked, days });
    deepEqual(data, await Promise.all(each));
  }
  const { data } = await app.as.liveKey(keysUsage, { key_id: asked });
  deepEqual(new Set(data.map(({ days }) => days)), new Set([7]));
});

test('a test key sees no live usage, and another workspace’s key sees none of this workspace’s', async (t) => {
  const app = await harness(t);
  const ids = (await busy(app)).map(({ id }) => id);
  const { data } = await app.as.testKey(keysUsage, { key_id: ids });
  deepEqual(
    data.map(({ key_id }) => key_id),
    ids.slice(2),
  );
  const stranger = await harness(t);
  deepEqual((await stranger.as.liveKey(keysUsage, { key_id: ids })).data, []);
});

test('a request can list one to a hundred keys and cover one to thirty days', async (t) => {
  const { as } = await harness(t);
  const many = Array.from({ length: 101 }, () => randomUUID());
  equal((await as.liveKey(keysUsage, { key_id: many.slice(1), days: 30 })).data.length, 0);
  for (const wrong of [{}, { key_id: many }, { key_id: 'x' }, { key_id: many[0], days: 31 }]) {
    await refused(as.liveKey(keysUsage, wrong), 400, 'invalid_request');
  }
});

test('tenant activity can be filtered by tenant and project, page by page', async (t) => {
  const app = await harness(t);
  const keys = await busy(app);
  const authorization = `Bearer ${app.tokens.liveKey}`;
  const all = (await app.as.liveKey(tenants, { months: 2 })).data;
  for (const { tenant_id, project_id } of keys) {
    const ofTenant = all.filter((row) => row.tenant_id === tenant_id);
    const ofProject = all.filter((row) => row.project_id === project_id);
    deepEqual((await app.as.liveKey(tenants, { months: 2, tenant_id })).data, ofTenant);
    deepEqual((await app.as.liveKey(tenants, { months: 2, project_id })).data, ofProject);
    const both = { months: 2, tenant_id, project_id };
    const rows = ofTenant.filter((row) => row.project_id === project_id);
    deepEqual((await app.as.liveKey(tenants, both)).data, rows);
    const first = await app.ask(tenants, { ...both, limit: 1 }, { authorization });
    deepEqual(first.body.data, rows.slice(0, 1));
  }
  const none = { months: 2, tenant_id: randomUUID() };
  deepEqual((await app.as.liveKey(tenants, none)).data, []);
});
