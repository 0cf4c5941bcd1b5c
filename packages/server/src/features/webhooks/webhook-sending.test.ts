// Sending webhooks: signed messages, retries, several workers, slow or dead receivers, and
// shutdown.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { verifyWebhook } from '@keyrail/sdk';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { mailTo } from '@keyrail/testing/people.ts';
import { until } from '@keyrail/testing/until.ts';
import { openReceiver, type Received } from '@keyrail/testing/webhook-receiver.ts';
import { deliveriesTo, endpointFor, sendAllTo, senderOf } from '@keyrail/testing/webhooks.ts';

const CLOSED = 'http://127.0.0.1:1/hook';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const verified = (app: Harness, { body, headers }: Received, secret: string | string[]) =>
  verifyWebhook(body, headers, secret, { now: () => app.clock.now().getTime() });

const deliveryOf = async ({ as }: Harness, endpointId: string) => {
  const { data } = await as.liveKey('GET /v1/webhook_endpoints/{id}/deliveries', {
    id: endpointId,
  });
  return data[0];
};

test('a change is delivered as a signed message with its audit log entry', async (t) => {
  const app = await harness(t);
  const receiver = await openReceiver(t);
  const { id, secret } = await endpointFor(app, receiver.url, { events: ['tenant.created'] });
  const tenant = await app.given.tenant();
  await sendAllTo(app, id);
  const [received] = receiver.received;
  ok(received);
  const event = verified(app, received, secret);
  const [row] = (await app.as.liveKey('GET /v1/audit_logs', { target_id: tenant.id })).data;
  deepEqual(
    { type: event.type, timestamp: event.timestamp, data: event.data },
    { type: 'tenant.created', timestamp: row?.occurred_at, data: row },
  );
  match(String(received.headers['user-agent']), /^Keyrail-Webhooks\//);
  const delivery = await deliveryOf(app, id);
  deepEqual(
    [delivery?.id, delivery?.state, delivery?.attempts, delivery?.last_status],
    [received.id, 'delivered', 1, 204],
  );
  ok(delivery?.delivered_at);
  equal(delivery?.next_attempt_at, null);
});

test('a test endpoint receives only what a test key may read', async (t) => {
  const app = await harness(t);
  const receiver = await openReceiver(t);
  const { id } = await endpointFor(app, receiver.url, { env: 'test', events: ['*'] });
  const { userId } = await app.people.member();
  await app.as.owner('PATCH /v1/members/{userId}', { userId, role: 'admin' });
  await app.given.tenant();
  await sendAllTo(app, id);
  const { data: rows } = await app.as.testKey('GET /v1/audit_logs', { limit: 200 });
  const byId = new Map(rows.map((row) => [row.id, row]));
  ok(receiver.received.length >= 3);
  for (const { event } of receiver.received) {
    deepEqual(event.data, byId.get(String(event.data.id)), event.type);
    ok(!('actor' in event.data));
  }
});

test('a queued live event is not sent to an endpoint that has since become a test endpoint', async (t) => {
  const app = await harness(t);
  const receiver = await openReceiver(t);
  const { id } = await endpointFor(app, receiver.url, { events: ['tenant.created'] });
  await app.given.tenant();
  await app.as.liveKey('PATCH /v1/webhook_endpoints/{id}', { id, env: 'test' });
  await sendAllTo(app, id);
  deepEqual([receiver.received.length, (await deliveriesTo(app.testApp, id)).length], [0, 0]);
});

test('after a rotation, messages are signed with both secrets until the overlap ends', async (t) => {
  const app = await harness(t);
  const receiver = await openReceiver(t);
  const { id, secret } = await endpointFor(app, receiver.url, { events: ['tenant.created'] });
  const rotate = 'POST /v1/webhook_endpoints/{id}/rotate_secret';
  const next = String((await app.as.liveKey(rotate, { id, overlap_hours: 1 })).secret);
  await app.given.tenant();
  await sendAllTo(app, id);
  const [first] = receiver.received;
  ok(first);
  equal(String(first.headers['webhook-signature']).split(' ').length, 2);
  for (const each of [secret, next]) verified(app, first, each);
  app.clock.shift(HOUR_MS + 1000);
  await app.given.tenant();
  await sendAllTo(app, id);
  const second = receiver.received[1];
  ok(second);
  verified(app, second, next);
  let refusal: unknown;
  try {
    verified(app, second, secret);
  } catch (error) {
    refusal = Reflect.get(Object(error), 'code');
  }
  equal(refusal, 'wrong_signature');
});

test('a failed delivery is retried on schedule with the same ID, and then abandoned', async (t) => {
  const app = await harness(t);
  const receiver = await openReceiver(t, () => 503);
  const { id, secret } = await endpointFor(app, receiver.url, { events: ['tenant.created'] });
  await app.given.tenant();
  const sender = senderOf(app.testApp, { random: () => 0 });
  const pauses: number[] = [];
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    const before = app.clock.now().getTime();
    await sendAllTo(app, id, sender);
    const [row] = await deliveriesTo(app.testApp, id);
    deepEqual([row?.attempts, row?.lastError], [attempt, 'The response had status 503.']);
    if (row?.state === 'failed') break;
    const pauseMs = Number(row?.dueAt) - before;
    pauses.push(Math.floor(pauseMs / 5000) * 5);
    app.clock.shift(pauseMs + 1000);
  }
  const hours = (count: number) => count * 3600;
  deepEqual(pauses, [5, 300, 1800, ...[2, 5, 10, 14, 20, 24].map(hours)]);
  equal((await deliveryOf(app, id))?.state, 'failed');
  equal(new Set(receiver.received.map((each) => each.id)).size, 1);
  equal(receiver.received.length, 10);
  const last = receiver.received.at(-1);
  ok(last);
  verified(app, last, secret); // each attempt has its own timestamp
});

test('a failed delivery can be retried on request', async (t) => {
  const app = await harness(t);
  const receiver = await openReceiver(t, () => 500);
  const { id } = await endpointFor(app, receiver.url, { events: ['tenant.created'] });
  await app.given.tenant();
  await sendAllTo(app, id);
  receiver.behave(() => 200);
  const waiting = await deliveryOf(app, id);
  const retried = await app.as.admin('POST /v1/webhook_deliveries/{id}/retry', { id: waiting?.id });
  deepEqual([retried.id, retried.state, retried.attempts], [waiting?.id, 'pending', 0]);
  await sendAllTo(app, id);
  equal((await deliveryOf(app, id))?.state, 'delivered');
  deepEqual(
    receiver.received.map((each) => each.id),
    [waiting?.id, waiting?.id],
  );
});

test('redirects are not followed', async (t) => {
  const app = await harness(t);
  for (const status of [301, 302, 303, 307, 308]) {
    const receiver = await openReceiver(t, () => status);
    const { id } = await endpointFor(app, receiver.url, { events: ['tenant.created'] });
    await app.given.tenant();
    await sendAllTo(app, id);
    equal(receiver.received.length, 1);
    equal((await deliveryOf(app, id))?.last_status, status);
  }
});

test('a test event is sent immediately, and is not retried if it fails', async (t) => {
  const app = await harness(t);
  const receiver = await openReceiver(t);
  const { id, secret } = await endpointFor(app, receiver.url, { events: ['project.created'] });
  const line = 'POST /v1/webhook_endpoints/{id}/test';
  const sent = await app.as.liveKey(line, { id });
  deepEqual([sent.type, sent.state, sent.last_status], ['webhook.test', 'delivered', 204]);
  const [received] = receiver.received;
  ok(received);
  equal(verified(app, received, secret).type, 'webhook.test');
  receiver.behave(() => 404);
  const failed = await app.as.liveKey(line, { id });
  deepEqual([failed.state, failed.last_status, failed.next_attempt_at], ['failed', 404, null]);
  const { id: dead } = await endpointFor(app, CLOSED, { events: ['project.created'] });
  const none = await app.as.liveKey(line, { id: dead });
  deepEqual([none.last_status, none.last_error], [null, 'The connection was refused.']);
  await sendAllTo(app, id);
  equal(receiver.received.length, 2);
});

test('an endpoint that has failed for five days is disabled, and the owners get an email', async (t) => {
  const app = await harness(t);
  const owner = await app.people.owner();
  const receiver = await openReceiver(t, () => 500);
  const { id } = await endpointFor(app, receiver.url, { events: ['tenant.created'] });
  const heard = await endpointFor(app, CLOSED, { events: ['webhook_endpoint.disabled'] });
  const failOnce = async () => {
    await app.given.tenant();
    await sendAllTo(app, id);
    return (await app.as.liveKey('GET /v1/webhook_endpoints/{id}', { id })).disabled_reason;
  };
  equal(await failOnce(), null);
  app.clock.shift(4 * DAY_MS);
  equal(await failOnce(), null);
  receiver.behave(() => 200);
  await failOnce();
  receiver.behave(() => 500);
  equal(await failOnce(), null, 'after a success, the five days start again');
  app.clock.shift(5 * DAY_MS - HOUR_MS);
  equal(await failOnce(), null);
  app.clock.shift(HOUR_MS);
  equal(await failOnce(), 'Every delivery has failed for five days.');
  const mails = await mailTo(app.testApp, owner.email);
  const [mail] = mails.filter(({ kind }) => kind === 'webhook_disabled');
  ok(mail?.text.includes(new URL(receiver.url).host), mail?.text);
  const [event] = await deliveriesTo(app.testApp, heard.id);
  equal(event?.type, 'webhook_endpoint.disabled');
  await app.as.liveKey('PATCH /v1/webhook_endpoints/{id}', { id, disabled: false });
  equal(await failOnce(), null, 'an endpoint that was enabled again has no failures yet');
});

test('several workers send each delivery only once', async (t) => {
  const EVENTS = 24;
  const app = await harness(t);
  const receiver = await openReceiver(t);
  const { id } = await endpointFor(app, receiver.url, { events: ['tenant.created'] });
  for (let n = 0; n < EVENTS; n += 1) await app.given.tenant();
  const senders = [1, 2, 3].map(() => senderOf(app.testApp));
  await Promise.all(senders.map((sender) => sendAllTo(app, id, sender)));
  equal(receiver.received.length, EVENTS);
  equal(new Set(receiver.received.map((each) => each.id)).size, EVENTS);
});

test('a worker that was paused until its claim expired does not record its result', async (t) => {
  const app = await harness(t);
  const receiver = await openReceiver(t, (_, count) => (count === 1 ? null : 204));
  const { id } = await endpointFor(app, receiver.url, { events: ['tenant.created'] });
  await app.given.tenant();
  const warned: string[] = [];
  const log = {
    ...app.testApp.app.worker.log,
    warn: (_: unknown, text?: string) => void warned.push(text ?? ''),
  };
  const paused = senderOf(app.testApp, { log });
  await paused.sendDue();
  await until(() => receiver.received.length === 1);
  const second = senderOf(app.testApp);
  equal(await second.sendDue(), false, 'no other worker takes a claimed delivery');
  app.clock.shift(61_000);
  await sendAllTo(app, id, second);
  const [row] = await deliveriesTo(app.testApp, id);
  equal(row?.state, 'delivered');
  receiver.relent();
  await until(() => warned.length > 0);
  deepEqual(warned, ['a webhook was sent but could not be marked as sent; it may be sent again']);
  deepEqual(await deliveriesTo(app.testApp, id), [row]);
  equal(new Set(receiver.received.map((each) => each.id)).size, 1);
});

test('receivers that never respond do not delay others', async (t) => {
  const EVENTS = 12;
  const app = await harness(t);
  const frozen = await openReceiver(t, () => null);
  const quick = await openReceiver(t);
  const stuck: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    stuck.push((await endpointFor(app, frozen.url, { events: ['tenant.created'] })).id);
  }
  const { id } = await endpointFor(app, quick.url, { events: ['tenant.created'] });
  for (let n = 0; n < EVENTS; n += 1) await app.given.tenant();
  const sender = senderOf(app.testApp);
  await sendAllTo(app, id, sender);
  equal(quick.received.length, EVENTS);
  equal(frozen.received.length, stuck.length, 'one request to each, and none of them has ended');
  await sender.stop();
  for (const each of stuck) {
    const rows = await deliveriesTo(app.testApp, each);
    ok(
      rows.every(
        ({ claim, attempts, state }) => claim === null && attempts === 0 && state === 'pending',
      ),
    );
  }
});

test('when a worker stops, its unfinished deliveries become due immediately', async (t) => {
  const app = await harness(t);
  const receiver = await openReceiver(t, () => null);
  const { id } = await endpointFor(app, receiver.url, { events: ['tenant.created'] });
  await app.given.tenant();
  const sender = senderOf(app.testApp);
  await sender.sendDue();
  await until(() => receiver.received.length === 1);
  await sender.stop();
  equal(await sender.sendDue(), false);
  receiver.behave(() => 200);
  await sendAllTo(app, id);
  const delivery = await deliveryOf(app, id);
  deepEqual([delivery?.state, delivery?.attempts], ['delivered', 1]);
  equal(new Set(receiver.received.map((each) => each.id)).size, 1);
});
