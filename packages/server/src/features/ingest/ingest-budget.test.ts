// The telemetry budget: how many events each workspace may send per minute.
import { equal, match, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { harness, type Input, refused } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { batchOf, eventOf } from '@keyrail/testing/telemetry.ts';
import { toNextMinute } from '@keyrail/testing/test-app.ts';

const line = 'POST /v1/ingest/batch';
const MINUTE_MS = 60_000;

/** A server that gives each workspace this budget, with the clock at the start of a minute. */
async function withBudget(t: TestContext, ingestEventsPerMinute: number) {
  const app = await harness(t);
  const { clock, tokens } = app;
  toNextMinute(clock);
  const beside = appBeside(t, app.testApp, { ingestEventsPerMinute });
  const key = await app.given.key();
  const send = (count: number, more: Input = {}) =>
    beside.as(tokens.liveKey)(
      line,
      batchOf(
        Array.from({ length: count }, () => eventOf(key, clock.now())),
        more,
      ),
    );
  const sendBytes = (payload: string) =>
    beside.app.http.inject({
      method: 'POST',
      url: '/v1/ingest/batch',
      headers: { authorization: `Bearer ${tokens.liveKey}` },
      payload,
    });
  /** Returns how many of the key's requests have been counted. */
  const counted = async () =>
    (await app.as.liveKey('GET /v1/keys/{id}/usage', { id: key.id, days: 90 })).data.reduce(
      (sum, { requests }) => sum + requests,
      0,
    );
  return { app, key, send, sendBytes, counted };
}

test('every event is charged to the budget, and the headers show what is left', async (t) => {
  const { app, send, counted } = await withBudget(t, 5);
  const whole = await refused(send(6), 429, 'rate_limited');
  match(whole.headers.ratelimit ?? '', /^"ingest";r=5;t=\d+$/, 'more than the whole budget');
  equal((await send(3)).accepted, 3);
  const over = await refused(send(3), 429, 'rate_limited');
  match(over.headers.ratelimit ?? '', /^"ingest";r=2;t=\d+$/);
  equal(over.headers['ratelimit-policy'], '"ingest";q=5;w=60');
  equal((await send(2)).accepted, 2, 'a rejected batch was not charged');
  const out = await refused(send(1), 429, 'rate_limited');
  match(out.headers.ratelimit ?? '', /^"ingest";r=0;t=\d+$/);
  const seconds = Number(out.headers['retry-after']);
  equal(out.headers.ratelimit, `"ingest";r=0;t=${seconds}`);
  ok(seconds >= 1 && seconds <= 60);
  equal(await counted(), 5);
  await refused(send(0), 429, 'rate_limited'); // an empty batch costs as much as one event

  app.clock.shift(seconds * 1000);
  await refused(send(6), 429, 'rate_limited');
  equal((await send(5)).accepted, 5, 'a new minute');
});

test('the budget still resets after the clock is set back', async (t) => {
  const { app, send } = await withBudget(t, 2);
  await send(2);
  app.clock.shift(-10 * MINUTE_MS);
  equal((await send(2)).accepted, 2);
  const over = await refused(send(1), 429, 'rate_limited');
  ok(Number(over.headers['retry-after']) <= 60);
});

test('a batch is charged even if it is rejected', async (t) => {
  const { app, key, send, sendBytes, counted } = await withBudget(t, 20);
  const bad = eventOf(key, app.clock.now(), { status: 'ok' });
  const foreign = eventOf({ ...key, id: randomUUID() }, app.clock.now());
  const unreadable = ['', '{"events":', '[1,2,3]', '{"events":7}', '\u0000', '['.repeat(100)];
  for (const body of unreadable) equal((await sendBytes(body)).statusCode, 400, body);
  equal((await sendBytes(JSON.stringify(batchOf([bad, bad, bad])))).statusCode, 400);
  equal((await sendBytes(JSON.stringify(batchOf([foreign, foreign])))).statusCode, 400);
  equal((await sendBytes(JSON.stringify({ events: [1, 2, 3] }))).statusCode, 400);
  const spent = unreadable.length + 3 + 2 + 3;
  const over = await refused(send(20), 429, 'rate_limited');
  match(over.headers.ratelimit ?? '', new RegExp(`r=${20 - spent};`));
  equal((await send(20 - spent)).accepted, 20 - spent);
  equal((await sendBytes('{')).statusCode, 429, 'the budget is checked first');
  equal(await counted(), 20 - spent);
});

test('every workspace has its own budget', async (t) => {
  const { send, app } = await withBudget(t, 2);
  await send(2);
  const other = await withBudget(t, 2);
  equal((await other.send(2)).accepted, 2);
  ok(app.workspaceId !== other.app.workspaceId);
});
