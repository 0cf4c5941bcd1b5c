// Telemetry over real HTTP, with a manual clock.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { IngestEvent } from '@keyrail/protocol/objects/ingest.ts';
import { LARGE_BODY_BYTES_MAX } from '@keyrail/protocol/wire/limits.ts';
import { until } from '@keyrail/testing/until.ts';
import fc from 'fast-check';
import { PROJECT_ID, type Reply, receiver, rig } from '../../test/rig.ts';
import { event, open, sdk, taken } from '../../test/telemetry.ts';
import { lineOf } from './batch.ts';
import { createTelemetry } from './telemetry.ts';

/** Long enough for a response over the loopback interface to be processed. */
const ANSWERED_MS = 100;

test("events are sent in batches that match the API's schema", async (t) => {
  const { record, clock, batches, plane, state } = await open(t, { flushMs: 5000 });
  record(3);
  await clock.pass(4999);
  equal(plane.received.length, 0);
  await clock.pass(1);
  await until(() => state().sent === 3);
  const [batch] = batches();
  equal(plane.received[0]?.path, '/v1/ingest/batch');
  equal(batch?.events.length, 3);
  equal(batch?.events_dropped, 0);
  equal(batch?.sample_rate, 1);
  deepEqual(batch?.sdk, sdk);
  equal(batch?.events[0]?.project_id, PROJECT_ID);
  ok(batch?.batch_id);
  equal(clock.timers(), 0, 'no timer is left');
});

test('a full batch is sent immediately', async (t) => {
  const { record, clock, batches, state } = await open(t, { batchMax: 10 });
  record(25);
  await clock.pass(1);
  await until(() => state().sent === 20);
  deepEqual(
    batches().map(({ events }) => events.length),
    [10, 10],
  );
  await clock.pass(5000);
  await until(() => state().sent === 25);
});

test('a failed batch is sent again with the same ID, after increasing delays', async (t) => {
  const { record, clock, batches, plane, state, logged } = await open(t);
  const failing: (Reply | null)[] = [null, { status: 503 }, { status: 500 }, null];
  plane.script = () =>
    plane.received.length <= failing.length ? (failing[plane.received.length - 1] ?? null) : taken;
  record(2);
  await clock.pass(5000);
  for (const [at, waitMs] of [1250, 2500, 5000, 10_000].entries()) {
    await until(() => plane.received.length === at + 1 && clock.timers() === 1);
    await clock.pass(waitMs - 1);
    equal(plane.received.length, at + 1, 'not before it is due');
    await clock.pass(1);
  }
  await until(() => state().sent === 2);
  equal(new Set(batches().map(({ batch_id }) => batch_id)).size, 1);
  equal(logged.length, 1, 'logged once, not on every attempt');
  equal(state().dropped, 0);
});

test('when the telemetry budget is exhausted, the node waits as long as Retry-After says', async (t) => {
  const { record, clock, plane, state } = await open(t);
  plane.script = () =>
    plane.received.length === 1 ? { status: 429, headers: { 'retry-after': '42' } } : taken;
  record(1);
  await clock.pass(5000);
  await until(() => clock.timers() === 1);
  await clock.pass(41_000);
  equal(plane.received.length, 1);
  await clock.pass(12_000);
  await until(() => state().sent === 1);
});

test('a rejected batch is dropped and counted, and the next one reports it', async (t) => {
  const { record, clock, batches, plane, state } = await open(t);
  plane.script = () => (plane.received.length === 1 ? { status: 400 } : taken);
  record(7);
  await clock.pass(5000);
  await until(() => state().dropped === 7);
  record(1);
  await clock.pass(5000);
  equal(plane.received.length, 1, 'no retry soon after a rejection');
  await clock.pass(90_000);
  await until(() => state().sent === 1);
  equal(batches()[1]?.events_dropped, 7);
});

test('long after a rejection, events are sent again', async (t) => {
  const { record, clock, plane, state } = await open(t);
  plane.script = () => (plane.received.length === 1 ? { status: 403 } : taken);
  record(1);
  await clock.pass(5000);
  await until(() => state().dropped === 1 && clock.timers() === 1);
  await clock.pass(90_000);
  record(1);
  await clock.pass(5000);
  await until(() => state().sent === 1);
});

test('during an outage events are dropped, and memory does not grow', async (t) => {
  const { record, clock, batches, plane, state } = await open(t, { queueMax: 50, batchMax: 20 });
  plane.script = () => null;
  for (let hour = 0; hour < 3; hour += 1) {
    record(1000);
    await clock.pass(3_600_000);
  }
  ok(state().queued <= 70, `${state().queued} are queued`);
  equal(state().queued + state().dropped, 3000);
  plane.script = () => taken;
  for (let turn = 0; turn < 30 && state().queued > 0; turn += 1) await clock.pass(60_000);
  await until(() => state().queued === 0);
  equal(state().sent + state().dropped, 3000);
  const received = batches().slice(-10);
  const ids = new Map(received.map((batch) => [batch.batch_id, batch.events_dropped]));
  equal(
    [...ids.values()].reduce((sum, count) => sum + count, 0),
    state().dropped,
  );
});

test('if requests are sampled, every event includes its sample rate', async (t) => {
  let at = 0;
  // Replaces random numbers with a fixed sequence, spread evenly between 0 and 1.
  const chance = () => (at++ * 0.618_033_988_749) % 1;
  const { record, clock, batches, state } = await open(t, { sampleRate: 0.25 }, chance);
  record(4000);
  await clock.pass(5000);
  await until(() => clock.timers() === 0);
  const share = state().sent / 4000;
  ok(share > 0.24 && share < 0.26, `${share}`);
  equal(batches()[0]?.sample_rate, 0.25);
  equal(state().dropped, 0, 'unsampled events do not count as dropped');
});

test('an event is serialized exactly as JSON.stringify would, whatever it contains', () => {
  const text = fc.string({ unit: 'binary', maxLength: 300 });
  const given = fc.record({
    path: text,
    method: text,
    route: fc.option(text),
    display_prefix: fc.option(text),
    denial_reason: fc.option(text),
    request_id: text,
    duration_ms: fc.double({ noNaN: true }),
    tenant_id: fc.option(fc.uuid()),
  });
  fc.assert(
    fc.property(given, (more) => {
      const written = JSON.parse(lineOf(event(more)(), PROJECT_ID));
      ok(IngestEvent.safeParse(written).success, JSON.stringify(written));
      const isPlain = more.path.length <= 1024 && more.path.isWellFormed();
      if (isPlain && !more.path.includes('\0')) equal(written.path, more.path);
      equal(written.tenant_id, more.tenant_id);
    }),
  );
});

test('unusual requests do not make the server reject a whole batch', async (t) => {
  const { record, clock, batches, state } = await open(t);
  const long = '/\ud83d\ude00'.repeat(9000);
  record(1, { path: `/\0${long}`, route: long, method: 'X'.repeat(500), request_id: '\ud800' });
  record(1, { duration_ms: -1, display_prefix: null, route: null });
  for (const status of [0, Number.NaN, 7.5, 1_000]) record(1, { status });
  await clock.pass(5000);
  await until(() => state().sent === 6);
  deepEqual(
    batches()[0]?.events.map(({ status }) => status),
    [200, 200, 500, 500, 500, 500],
  );
});

test('no batch is larger than the control plane accepts, no matter how long the paths are', async (t) => {
  const options = { batchMax: 5_000, flushMs: 60_000 };
  const { record, clock, close, plane, state } = await open(t, options);
  for (let second = 0; second < 5; second += 1) {
    record(1_000, { path: `/${'"'.repeat(1_023)}`, request_id: '\\'.repeat(200) });
    await clock.pass(1_000);
  }
  await close(30_000);
  equal(state().sent, 5_000);
  ok(plane.received.length > 1);
  for (const { body } of plane.received) {
    ok(Buffer.byteLength(JSON.stringify(body)) < LARGE_BODY_BYTES_MAX);
  }
});

test('queued events are sent when the node closes, and later ones are dropped', async (t) => {
  const { record, close, state, batches, logged } = await open(t, { batchMax: 2 });
  record(5);
  await close(5000);
  deepEqual(state(), { queued: 0, sent: 5, dropped: 0 });
  deepEqual(logged, [], 'nothing was lost');
  equal(batches().length, 3);
  record(1);
  deepEqual(state(), { queued: 0, sent: 5, dropped: 1 });
});

test('a batch that is being sent when the node closes is sent only once', async (t) => {
  const { record, close, clock, state, batches, plane } = await open(t);
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  plane.script = () => held.then(() => taken);
  record(3);
  await clock.pass(5000);
  await until(() => plane.received.length === 1);
  record(1);
  const closed = close(5000);
  letGo();
  await closed;
  equal(state().sent, 4);
  equal(batches().length, 2);
});

test('closing gives up if the control plane does not respond', async (t) => {
  const { record, close, clock, state, plane, logged } = await open(t);
  plane.script = () => null;
  record(3);
  const closed = close(2000);
  for (let turn = 0; turn < 20; turn += 1) {
    await until(() => clock.timers() > 0 || state().queued === 0);
    await clock.pass(500);
  }
  await closed;
  deepEqual(state(), { queued: 0, sent: 0, dropped: 3 });
  deepEqual(
    logged.filter((line) => line.includes('lost')),
    ['warn keyrail: lost 3 telemetry events on close'],
  );
});

test('closing does not wait for a batch that is already slow', async (t) => {
  const { record, close, clock, state, plane } = await open(t);
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  plane.script = () => held.then(() => taken);
  record(3);
  await clock.pass(5000);
  await until(() => plane.received.length === 1);
  let isClosed = false;
  void close(2000).then(() => {
    isClosed = true;
  });
  await clock.pass(2000);
  // Closing finishes long before the request's own timeout.
  await until(() => isClosed);
  deepEqual(state(), { queued: 0, sent: 0, dropped: 3 });
  letGo();
  await setTimeout(ANSWERED_MS);
  deepEqual(state(), { queued: 0, sent: 0, dropped: 3 }, 'nothing is counted twice');
});

test('an event that cannot be serialized does not affect others', async (t) => {
  const { record, clock, batches, state } = await open(t, { flushMs: 5000 });
  record(1);
  // A vendor's own adapter in JavaScript may produce an event like this.
  record(1, { method: undefined as never });
  record(1);
  await clock.pass(5000);
  await until(() => state().sent === 2);
  deepEqual(state(), { queued: 0, sent: 2, dropped: 1 });
  record(1);
  await clock.pass(5000);
  await until(() => state().sent === 3);
  equal(batches()[0]?.events_dropped, 1);
});

test('telemetry can be turned off', async (t) => {
  const plane = await receiver(t, () => taken);
  const off = createTelemetry({ ...rig(plane.url, { telemetry: false }), sdk });
  off.record(null, 0, () => {
    throw new Error('must not be called');
  });
  await off.close(1000);
  equal(plane.received.length, 0);
});
