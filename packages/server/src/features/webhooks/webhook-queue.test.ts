// An event is queued for each endpoint subscribed to it, in the same transaction as its change, so
// a change that is rolled back queues nothing.

import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { harness } from '@keyrail/testing/harness.ts';
import { purgeTables } from '@keyrail/testing/purge.ts';
import { appBeside, failingAt, traced } from '@keyrail/testing/second-app.ts';
import { deliveriesTo, endpointFor, typesTo } from '@keyrail/testing/webhooks.ts';

const CLOSED = 'http://127.0.0.1:1/hook';
const DAY_MS = 86_400_000;
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

test('every change queues one event for each endpoint subscribed to it', async (t) => {
  const app = await harness(t);
  const all = await endpointFor(app, CLOSED);
  const keys = await endpointFor(app, CLOSED, { events: ['api_key.*', 'tenant.created'] });
  const projects = await endpointFor(app, CLOSED, { events: ['project.created'] });
  const key = await app.given.key();
  await app.as.liveKey('POST /v1/keys/{id}/rotate', { id: key.id });
  const made = ['project.created', 'tenant.created', 'api_key.created', 'api_key.rotated'];
  const [created] = await typesTo(app.testApp, all.id);
  equal(created, 'webhook_endpoint.created', 'an endpoint gets the event for its own creation');
  const types = await typesTo(app.testApp, all.id);
  deepEqual(
    types.filter((type) => !type.startsWith('webhook_endpoint')).toSorted(),
    made.toSorted(),
  );
  deepEqual((await typesTo(app.testApp, keys.id)).toSorted(), made.slice(1).toSorted());
  deepEqual(await typesTo(app.testApp, projects.id), ['project.created']);
});

test('an endpoint for one environment gets that environment’s events and those without an environment', async (t) => {
  const app = await harness(t);
  const endpoint = (env: string | null) =>
    endpointFor(app, CLOSED, { env, events: ['api_key.created', 'tenant.created'] });
  const live = await endpoint('live');
  const testing = await endpoint('test');
  const both = await endpoint(null);
  const project = await app.given.project();
  const tenant = await app.given.tenant();
  const place = { project_id: project.id, tenant_id: tenant.id };
  await app.as.liveKey('POST /v1/keys', { ...place, env: 'live' });
  await app.as.testKey('POST /v1/keys', { ...place, env: 'test' });
  const count = async ({ id }: { id: string }) => (await typesTo(app.testApp, id)).toSorted();
  deepEqual(await count(live), ['api_key.created', 'tenant.created']);
  deepEqual(await count(testing), ['api_key.created', 'tenant.created']);
  deepEqual(await count(both), ['api_key.created', 'api_key.created', 'tenant.created']);
});

test('a change that is rolled back queues no event', async (t) => {
  const app = await harness(t);
  const { id } = await endpointFor(app, CLOSED, { events: ['project.*'] });
  const db = failingAt(app.testApp.db, 'commit');
  const broken = appBeside(t, app.testApp, { db, log: quiet }).as(app.tokens.liveKey);
  await rejects(broken('POST /v1/projects', { name: 'Gone', slug: 'gone' }), /500/);
  deepEqual(await typesTo(app.testApp, id), []);
  await app.as.liveKey('POST /v1/projects', { name: 'Kept', slug: 'kept' });
  deepEqual(await typesTo(app.testApp, id), ['project.created']);
});

test('no events are queued for dry runs, repeated requests or changes that have no effect', async (t) => {
  const app = await harness(t);
  const key = await app.given.key();
  const { id } = await endpointFor(app, CLOSED, { events: ['api_key.*'] });
  await app.as.liveKey('POST /v1/keys/{id}/revoke', { id: key.id, dry_run: true });
  deepEqual(await typesTo(app.testApp, id), []);
  const headers = { authorization: `Bearer ${app.tokens.liveKey}`, 'idempotency-key': 'once' };
  for (const _ of [1, 2]) await app.ask('POST /v1/keys/{id}/revoke', { id: key.id }, headers);
  await app.as.liveKey('POST /v1/keys/{id}/revoke', { id: key.id });
  deepEqual(await typesTo(app.testApp, id), ['api_key.revoked']);
});

test('an endpoint gets no events from other workspaces', async (t) => {
  const mine = await harness(t);
  const theirs = await harness(t);
  const { id } = await endpointFor(mine, CLOSED, { events: ['tenant.*'] });
  await theirs.given.tenant();
  deepEqual(await typesTo(mine.testApp, id), []);
  const { id: other } = await endpointFor(theirs, CLOSED);
  const test = await theirs.as.liveKey('POST /v1/webhook_endpoints/{id}/test', { id: other });
  const retry = await mine.ask(
    'POST /v1/webhook_deliveries/{id}/retry',
    { id: test.id },
    { authorization: `Bearer ${mine.tokens.liveKey}` },
  );
  equal(retry.status, 404);
});

test('a change in a workspace without endpoints runs no additional statements', async (t) => {
  const app = await harness(t);
  const { db, take } = traced(app.testApp.db);
  const call = appBeside(t, app.testApp, { db }).as(app.tokens.liveKey);
  const statements = async (slug: string) => {
    await call('POST /v1/projects', { name: 'One', slug });
    const texts = take().map(({ text }) => text);
    return texts.slice(texts.indexOf('begin as kr_write')); // without the credential lookup
  };
  const before = await statements('before');
  ok(before.every((text) => !text.includes('webhook')));
  await endpointFor(app, CLOSED);
  deepEqual(await statements('after'), before, 'events are queued inside close_change');
});

test('deliveries are kept for 30 days, unless their endpoint is deleted', async (t) => {
  const app = await harness(t);
  const kept = await endpointFor(app, CLOSED, { events: ['tenant.*'] });
  const gone = await endpointFor(app, CLOSED, { events: ['tenant.*'] });
  await app.given.tenant();
  await app.as.liveKey('DELETE /v1/webhook_endpoints/{id}', { id: gone.id });
  const purge = () => purgeTables(app.testApp, 'webhook_deliveries');
  await purge();
  equal((await deliveriesTo(app.testApp, gone.id)).length, 0);
  app.clock.shift(29 * DAY_MS);
  await purge();
  equal((await deliveriesTo(app.testApp, kept.id)).length, 1);
  app.clock.shift(DAY_MS + 1000);
  await purge();
  equal((await deliveriesTo(app.testApp, kept.id)).length, 0);
});
