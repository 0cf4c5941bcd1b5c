// Telemetry through the HTTP API: which batches are accepted or rejected.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import {
  type Answer,
  type Harness,
  harness,
  type Input,
  refused,
} from '@keyrail/testing/harness.ts';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';

const line = 'POST /v1/ingest/batch';

const daysOf = async ({ as }: Harness, id: string) =>
  (await as.liveKey('GET /v1/keys/{id}/usage', { id, days: 90 })).data;

const requestsOf = async (app: Harness, id: string): Promise<number> =>
  (await daysOf(app, id)).reduce((sum, { requests }) => sum + requests, 0);

const detailsIn = ({ body }: Answer) => (body.error as { details?: Input[] }).details ?? [];

test('a batch is added to the daily usage and updates its keys’ `last_used_at`', async (t) => {
  const app = await harness(t);
  const { as, given, clock } = app;
  const key = await given.key();
  equal(key.last_used_at, null);
  const at = clock.now();
  const earlier = new Date(at.getTime() - 5000);
  const events = [
    eventOf(key, at, { status: 500 }),
    eventOf(key, earlier),
    eventOf(key, earlier, { status: 404, denial_reason: 'rate_limited' }),
  ];
  const receipt = await as.liveKey(line, batchOf(events, { events_dropped: 7, unknown: {} }));
  deepEqual(receipt, { object: 'ingest_receipt', accepted: 3, events_dropped_reported: 7 });
  const total = (await daysOf(app, key.id)).reduce((a, b) => ({
    ...b,
    errors: a.errors + b.errors,
  }));
  equal(await requestsOf(app, key.id), 3);
  equal(total.errors, 2);
  const read = await as.liveKey('GET /v1/keys/{id}', { id: key.id });
  const listed = (await as.liveKey('GET /v1/keys')).data.find(({ id }) => id === key.id);
  equal(read.last_used_at, at.toISOString());
  deepEqual(listed, read);
  const renamed = await as.liveKey('PATCH /v1/keys/{id}', { id: key.id, name: 'Renamed' });
  equal(renamed.last_used_at, at.toISOString(), 'an update keeps it');
});

test('an older event does not move `last_used_at` back', async (t) => {
  const { as, given, clock } = await harness(t);
  const key = await given.key();
  const now = clock.now();
  for (const ageMs of [0, 1, 86_400_000, 40 * 86_400_000]) {
    const at = new Date(now.getTime() - ageMs);
    await as.liveKey(line, batchOf([eventOf(key, at)]));
  }
  const { last_used_at } = await as.liveKey('GET /v1/keys/{id}', { id: key.id });
  equal(last_used_at, now.toISOString());
});

test('a sampled event counts as several, and its own sample rate overrides the batch’s', async (t) => {
  const app = await harness(t);
  const key = await app.given.key();
  const at = app.clock.now();
  const events = [eventOf(key, at), eventOf(key, at, { sample_rate: 0.1 })];
  await app.as.liveKey(line, batchOf(events, { sample_rate: 0.3 }));
  equal(await requestsOf(app, key.id), 13, '1/0.3 + 1/0.1, rounded');
  await app.as.liveKey(line, batchOf([eventOf(key, at)], { sample_rate: 0.3 }));
  equal(await requestsOf(app, key.id), 17, 'rounded in the response, not when it is added');
});

test('weights and metrics are capped at the largest safe integer', async (t) => {
  const app = await harness(t);
  const key = await app.given.key();
  const rare = await app.given.key();
  const at = app.clock.now();
  const smallest = eventOf(key, at, { sample_rate: Number.MIN_VALUE, status: 500 });
  for (const events of [[smallest, smallest], [smallest]]) {
    await app.as.liveKey(line, batchOf(events));
  }
  const [day] = await daysOf(app, key.id);
  deepEqual([day?.requests, day?.errors], Array(2).fill(Number.MAX_SAFE_INTEGER));
  await app.as.liveKey(line, batchOf([eventOf(rare, at)], { sample_rate: 0.000_000_1 }));
  equal(await requestsOf(app, rare.id), 10_000_000);
  for (const figures of ['GET /v1/usage/tenants', 'GET /v1/usage/overview'] as const) {
    match(JSON.stringify(await app.as.liveKey(figures)), /:9007199254740991\b/);
  }
});

test('an empty batch can report dropped events, but a batch with too many events is rejected', async (t) => {
  const { as, given, clock } = await harness(t);
  const none = await as.liveKey(line, batchOf([], { events_dropped: 12 }));
  deepEqual(none, { object: 'ingest_receipt', accepted: 0, events_dropped_reported: 12 });
  const event = eventOf(await given.key(), clock.now());
  equal((await as.liveKey(line, batchOf(Array(5000).fill(event)))).accepted, 5000);
  const many = await refused(
    as.liveKey(line, batchOf(Array(5001).fill(event))),
    400,
    'invalid_request',
  );
  deepEqual(
    detailsIn(many).map(({ path }) => path),
    ['events'],
  );
});

test('each error gives the position of its event, and at most 100 errors are reported', async (t) => {
  const { as, given, clock } = await harness(t);
  const good = eventOf(await given.key(), clock.now());
  const events = [...Array(40).fill(good), { ...good, status: 99, ts: 'x' }, good, 5];
  const answer = await refused(as.liveKey(line, batchOf(events)), 400, 'invalid_request');
  deepEqual(
    new Set(detailsIn(answer).map(({ path }) => path)),
    new Set(['events.40.ts', 'events.40.status', 'events.42']),
  );
  const all = await refused(
    as.liveKey(line, batchOf(Array(5000).fill({}))),
    400,
    'invalid_request',
  );
  ok(detailsIn(all).length <= 100);
  const head = await refused(as.liveKey(line, { events: [good] }), 400, 'invalid_request');
  ok(detailsIn(head).some(({ path }) => path === 'node_id'));
});

test('timestamps may be far in the past, but at most an hour in the future', async (t) => {
  const { as, given, clock } = await harness(t);
  const key = await given.key();
  const at = (ms: number) => batchOf([eventOf(key, new Date(clock.now().getTime() + ms))]);
  const first = '0001-01-01T00:00:00.001Z';
  const old = await given.key();
  const ancient = batchOf([eventOf(old, new Date(first))]);
  for (const batch of [ancient, at(-400 * 86_400_000), at(3_590_000)]) {
    equal((await as.liveKey(line, batch)).accepted, 1);
  }
  equal((await as.liveKey('GET /v1/keys/{id}', { id: old.id })).last_used_at, first);
  const ahead = await refused(as.liveKey(line, at(3_660_000)), 400, 'invalid_request');
  deepEqual(
    detailsIn(ahead).map(({ path }) => path),
    ['events.0.ts'],
  );
});

test('one unknown ID, or an ID from another workspace, is enough to reject a batch, and the error gives its position', async (t) => {
  const app = await harness(t);
  const theirs = await harness(t);
  const key = await app.given.key();
  const foreign = await theirs.given.key();
  const at = app.clock.now();
  const events = [
    eventOf(key, at),
    eventOf(key, at, { key_id: foreign.id }),
    eventOf(key, at, { project_id: foreign.project_id, tenant_id: foreign.tenant_id }),
    eventOf(key, at, { key_id: foreign.id, tenant_id: randomUUID() }),
  ];
  const answer = await refused(app.as.liveKey(line, batchOf(events)), 400, 'invalid_request');
  deepEqual(
    detailsIn(answer)
      .map(({ path, message }) => `${path} ${message}`)
      .toSorted(),
    [
      'events.1.key_id No such API key.',
      'events.2.project_id No such project.',
      'events.2.tenant_id No such tenant.',
      'events.3.tenant_id No such tenant.',
    ],
  );
  equal(await requestsOf(app, key.id), 0);
  equal(await requestsOf(theirs, foreign.id), 0);
});

test('events for revoked keys, and for deleted tenants and projects, are accepted', async (t) => {
  const app = await harness(t);
  const { as, given, clock } = app;
  const key = await given.key();
  await as.liveKey('DELETE /v1/tenants/{id}', { id: key.tenant_id });
  await as.liveKey('DELETE /v1/projects/{id}', { id: key.project_id });
  equal((await as.liveKey(line, batchOf([eventOf(key, clock.now())]))).accepted, 1);
  equal(await requestsOf(app, key.id), 1);
});

test('a test key can only report test traffic, and only for test keys', async (t) => {
  const { as, given, clock } = await harness(t);
  const live = await given.key();
  const own = await given.key({ env: 'test' });
  const at = clock.now();
  equal((await as.testKey(line, batchOf([eventOf(own, at)]))).accepted, 1);
  const beyond = [
    eventOf(live, at),
    eventOf(own, at, { env: 'live' }),
    eventOf(live, at, { env: 'test' }),
  ];
  for (const event of beyond) {
    await refused(as.testKey(line, batchOf([eventOf(own, at), event])), 403, 'forbidden');
  }
  const unknown = eventOf(own, at, { key_id: randomUUID() });
  await refused(as.testKey(line, batchOf([unknown])), 400, 'invalid_request');
  const mixed = [unknown, eventOf(own, at, { key_id: live.id })];
  await refused(as.testKey(line, batchOf(mixed)), 403, 'forbidden');
  equal((await as.liveKey(line, batchOf([eventOf(live, at), eventOf(own, at)]))).accepted, 2);
});

test('a resent batch is counted only once, and gets the same receipt again', async (t) => {
  const app = await harness(t);
  const { as, given, clock } = app;
  const key = await given.key({ env: 'test' });
  const event = eventOf(key, clock.now());
  const batch_id = randomUUID();
  const first = await as.liveKey(line, batchOf([event, event], { batch_id, events_dropped: 3 }));
  const again = await as.liveKey(line, batchOf([event], { batch_id: batch_id.toUpperCase() }));
  deepEqual(again, first);
  equal(await requestsOf(app, key.id), 2);
  const other = await harness(t);
  const theirs = eventOf(await other.given.key(), clock.now());
  equal((await other.as.liveKey(line, batchOf([theirs], { batch_id }))).accepted, 1);
  equal((await as.testKey(line, batchOf([event], { batch_id }))).accepted, 1, 'another sender');
  equal(await requestsOf(app, key.id), 3);
});
