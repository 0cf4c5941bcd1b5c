// The permissions that a secret key has used.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { SECRET_KEY_USE_HOURS } from '@keyrail/protocol/wire/limits.ts';
import { type Harness, harness, refused } from '@keyrail/testing/harness.ts';
import { appBeside, traced } from '@keyrail/testing/second-app.ts';
import { until } from '@keyrail/testing/until.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/duration.ts';
import type { Database } from '../../db/database.ts';

const usage = 'GET /v1/secret_keys/{id}/usage';
const keys = 'GET /v1/keys';
const check = 'POST /v1/ratelimit/check';

const keyWith = ({ as }: Harness, limits: object = {}) =>
  as.liveKey('POST /v1/secret_keys', { env: 'live', ...limits });

async function usedBy({ as }: Harness, id: string): Promise<string[]> {
  const { permissions } = await as.liveKey(usage, { id });
  return permissions.map(({ permission }) => permission).sort();
}

/** Waits until exactly these uses are recorded. A use is recorded after the response is sent. */
const showsUse = (app: Harness, id: string, used: string[]) =>
  until(async () => (await usedBy(app, id)).join() === used.join());

const aCheck = () => ({
  project_id: randomUUID(),
  env: 'live',
  key_id: randomUUID(),
  tenant_id: randomUUID(),
  limits: [{ id: 'burst', limit: 5, window_ms: 1000, algorithm: 'fixed', scope: 'key' }],
});

test("a secret key's usage lists the permissions its requests needed, and when each was last used", async (t) => {
  const app = await harness(t);
  const made = await keyWith(app);
  deepEqual(await app.as.liveKey(usage, { id: made.id }), {
    object: 'secret_key_usage',
    secret_key_id: made.id,
    permissions: [],
  });
  const call = app.as.token(made.key);
  await call(keys);
  await call(keys);
  await call(check, aCheck());
  await showsUse(app, made.id, ['keys:read', 'limits:write']);
  const { permissions } = await app.as.liveKey(usage, { id: made.id });
  for (const { last_used_at: at } of permissions) {
    ok(Math.abs(Date.parse(at) - app.clock.now().getTime()) < MINUTE_MS, at);
  }
});

test('requests that are denied or need no permission do not count as use', async (t) => {
  const app = await harness(t);
  const made = await keyWith(app, { permissions: ['keys:read', 'projects:write'] });
  const call = app.as.token(made.key);
  await refused(call('GET /v1/members'), 403, 'forbidden');
  await call('GET /v1/secret_keys/current');
  const networks = ['127.0.0.0/8'];
  await call('PATCH /v1/secret_keys/{id}', { id: made.id.toUpperCase(), networks });
  const elsewhere = appBeside(t, app.testApp, { trustProxy: ['127.0.0.1'] });
  const forged = { authorization: `Bearer ${made.key}`, 'x-forwarded-for': '192.0.2.1' };
  const { statusCode } = await elsewhere.app.http.inject({ url: '/v1/keys', headers: forged });
  equal(statusCode, 403);
  await call('POST /v1/projects', { name: 'Payments', slug: 'payments' });
  await showsUse(app, made.id, ['projects:write']);
});

test("a request for the usage of a key outside the caller's scope is rejected", async (t) => {
  const app = await harness(t);
  const other = await harness(t);
  const live = await keyWith(app);
  const test = await keyWith(app, { env: 'test' });
  await refused(other.as.liveKey(usage, { id: live.id }), 404, 'not_found');
  await refused(app.as.testKey(usage, { id: live.id }), 403, 'forbidden');
  await app.as.token(test.key)(keys);
  await until(async () => (await app.as.testKey(usage, { id: test.id })).permissions.length === 1);
  const { id } = await app.given.project();
  const bound = await keyWith(app, { project_ids: [id] });
  await refused(app.as.token(bound.key)(usage, { id: live.id }), 404, 'not_found');
});

test('a recorded use expires after 30 days, and a later use is recorded again', async (t) => {
  const app = await harness(t);
  const made = await keyWith(app);
  await app.as.token(made.key)(keys);
  await showsUse(app, made.id, ['keys:read']);
  app.clock.shift(29 * DAY_MS);
  deepEqual(await usedBy(app, made.id), ['keys:read']);
  await app.as.token(made.key)('GET /v1/projects');
  await showsUse(app, made.id, ['keys:read', 'projects:read']);
  app.clock.shift(2 * DAY_MS);
  deepEqual(await usedBy(app, made.id), ['projects:read']);
  await app.as.token(made.key)(keys);
  await showsUse(app, made.id, ['keys:read', 'projects:read']);
});

const isRecording = ({ text }: { text: string }) => text.includes('jsonb_object_agg');

test('each process records the use of a permission at most once every six hours', async (t) => {
  const app = await harness(t);
  const made = await keyWith(app);
  const { db, take } = traced(app.testApp.db);
  const beside = appBeside(t, app.testApp, { db });
  const call = beside.as(made.key);
  const recorded = () => take().filter(isRecording).length;
  for (let count = 0; count < 10; count += 1) await call(keys);
  await showsUse(app, made.id, ['keys:read']);
  equal(recorded(), 1);
  await app.as.token(made.key)('GET /v1/projects');
  await showsUse(app, made.id, ['keys:read', 'projects:read']);
  app.clock.shift(SECRET_KEY_USE_HOURS * HOUR_MS + MINUTE_MS);
  for (let count = 0; count < 10; count += 1) await call(keys);
  await until(() => recorded() === 1);
  deepEqual(await usedBy(app, made.id), ['keys:read', 'projects:read']);
});

test('if a use cannot be recorded, no request is denied, and recording is retried a minute later', async (t) => {
  const app = await harness(t);
  const made = await keyWith(app);
  let failures = 0;
  const once: Database['once'] = (opening, statement) => {
    if (!isRecording(statement) || failures > 0) return app.testApp.db.once(opening, statement);
    failures += 1;
    return Promise.reject(new Error('broken'));
  };
  const beside = appBeside(t, app.testApp, { db: { ...app.testApp.db, once } });
  const call = beside.as(made.key);
  await call(keys);
  await until(() => failures === 1);
  await call(keys);
  app.clock.shift(2 * MINUTE_MS);
  deepEqual(await usedBy(app, made.id), []);
  await call(keys);
  await showsUse(app, made.id, ['keys:read']);
});
