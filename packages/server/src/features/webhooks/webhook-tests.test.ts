// Test events go to hosts chosen by the caller, so their number is limited.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { until } from '@keyrail/testing/until.ts';
import { openReceiver } from '@keyrail/testing/webhook-receiver.ts';
import { deliveriesTo, endpointFor } from '@keyrail/testing/webhooks.ts';

const LINE = 'POST /v1/webhook_endpoints/{id}/test';
const MINUTE_MS = 60_000;
/** Half of a process's slots, shared by all endpoints that haven't responded quickly yet. */
const OTHERS_MAX = 64;

const testOf = ({ ask, tokens }: Harness, id: string) =>
  ask(LINE, { id }, { authorization: `Bearer ${tokens.liveKey}` });

const events = { events: ['project.created'] };

test('an endpoint can have at most one test in progress, even with several processes', async (t) => {
  const app = await harness(t);
  const receiver = await openReceiver(t, () => null);
  const { id } = await endpointFor(app, receiver.url, events);
  const { id: another } = await endpointFor(app, (await openReceiver(t)).url, events);
  const first = app.as.liveKey(LINE, { id });
  await until(() => receiver.received.length === 1);
  for (let n = 0; n < 20; n += 1) equal((await testOf(app, id)).status, 409);
  const elsewhere = appBeside(t, app.testApp, {});
  const second = await elsewhere
    .as(app.tokens.liveKey)(LINE, { id })
    .catch((error) => error.answer);
  equal(second.status, 409);
  equal((await testOf(app, another)).status, 200, 'another endpoint can be tested');
  receiver.relent();
  equal((await first).state, 'delivered');
  receiver.behave(() => 204);
  equal((await testOf(app, id)).status, 200, 'rejected tests do not count');
  equal(receiver.received.length, 2);
});

test('a workspace can send at most ten tests a minute across all endpoints, even with concurrent requests', async (t) => {
  const app = await harness(t);
  const other = await harness(t);
  const receiver = await openReceiver(t);
  const ids: string[] = [];
  for (let n = 0; n < 15; n += 1) ids.push((await endpointFor(app, receiver.url, events)).id);
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) => testOf(app, String(ids[n % ids.length]))),
  );
  const sent = answers.filter(({ status }) => status === 200).length;
  ok(sent > 0 && sent <= 10, `${sent}`);
  for (const id of ids) await testOf(app, id);
  equal(receiver.received.length, 10);
  const beyond = await testOf(app, String(ids[0]));
  equal(beyond.status, 429);
  ok(Number(beyond.headers['retry-after']) > 0 && Number(beyond.headers['retry-after']) <= 60);
  const { id: theirs } = await endpointFor(other, receiver.url, events);
  equal((await testOf(other, theirs)).status, 200, 'another workspace is not affected');
  app.clock.shift(MINUTE_MS);
  equal((await testOf(app, String(ids[0]))).status, 200);
});

test('a test waits for a slot like any other delivery', async (t) => {
  const app = await harness(t);
  const receiver = await openReceiver(t);
  const { id } = await endpointFor(app, receiver.url, events);
  const { slots } = app.testApp.app.worker.webhooks;
  const taken = Array.from({ length: OTHERS_MAX }, (_, n) => `endpoint-${n}`);
  for (const each of taken) slots.take(each);
  const waiting = testOf(app, id);
  await until(async () => (await deliveriesTo(app.testApp, id)).length === 1);
  const { status } = await testOf(app, id);
  equal(status, 409, 'it is queued');
  equal(receiver.received.length, 0);
  for (const each of taken) slots.free(each, MINUTE_MS);
  equal((await waiting).body.state, 'delivered');
  equal(slots.roomFor([id]).get(id), 8, 'its slot is free again');
});
