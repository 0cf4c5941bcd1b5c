// Idempotent requests through the HTTP API: which request runs, which waits, and which gets the
// stored response.

import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { harness, messageOf, refused } from '@keyrail/testing/harness.ts';
import {
  aRequest,
  claim,
  complete,
  executing,
  heartbeat,
  LOCK_MS,
  lockOf,
  release,
  TTL_MS,
} from '@keyrail/testing/idempotency.ts';
import { purgeTables } from '@keyrail/testing/purge.ts';
import { newScope } from '../../../../../tests/laws/hot-fixtures.ts';

const base64 = (bytes: number) => Buffer.alloc(bytes, 'k').toString('base64');

test('the first claim executes, a duplicate waits, and a retry gets the stored response', async (t) => {
  const { as } = await harness(t);
  const request = aRequest();
  const first = await as.liveKey(claim, request);
  match(first.lock_token ?? '', /^[\w-]{32}$/);
  deepEqual(
    { ...first, lock_token: null },
    {
      object: 'idempotency_claim',
      state: 'execute',
      lock_token: null,
      lock_ms: LOCK_MS,
      stolen: false,
      retry_after_ms: null,
      response: null,
      max_body_bytes: 262_144,
    },
  );

  const waiting = await as.liveKey(claim, request);
  equal(waiting.state, 'in_progress');
  equal(waiting.lock_token, null);
  ok(Number(waiting.retry_after_ms) > 0 && Number(waiting.retry_after_ms) <= LOCK_MS);

  const response = { status: 201, headers: { 'Content-Type': 'text/plain', 'x-y': '' } };
  const done = { ...lockOf(request, first.lock_token), ...response, body: base64(5) };
  deepEqual(await as.liveKey(complete, done), {
    object: 'idempotency_record',
    outcome: 'ok',
    body_stored: true,
  });
  const replay = await as.liveKey(claim, request);
  equal(replay.state, 'replay');
  equal(replay.lock_token, null);
  deepEqual(replay.response, { ...response, body: base64(5), body_stored: true });
});

test('claiming the same scope with a different fingerprint is reported as a mismatch', async (t) => {
  const app = await harness(t);
  const { as, clock } = app;
  const { request, lock } = await executing(app);
  const other = { ...request, fingerprint: newScope() };
  equal((await as.liveKey(claim, other)).state, 'mismatch');
  clock.shift(LOCK_MS + 1000);
  equal((await as.liveKey(claim, other)).state, 'mismatch', 'even when the lock has expired');
  await as.liveKey(complete, { ...lock, status: 200, ttl_ms: TTL_MS });
  equal((await as.liveKey(claim, other)).state, 'mismatch', 'even when a response is stored');
  clock.shift(TTL_MS + 1000);
  equal((await as.liveKey(claim, other)).state, 'execute', 'until the record expires');
});

test('an expired lock can be stolen only once, and its former holder can no longer change anything', async (t) => {
  const app = await harness(t);
  const { as, clock } = app;
  const { request, lock: lost } = await executing(app);
  clock.shift(LOCK_MS + 1);
  const stolen = await as.liveKey(claim, request);
  equal(stolen.state, 'execute');
  equal(stolen.stolen, true);
  equal((await as.liveKey(claim, request)).state, 'in_progress');

  for (const line of [heartbeat, release, complete] as const) {
    const more = line === complete ? { status: 500 } : {};
    equal((await as.liveKey(line, { ...lost, ...more })).outcome, 'lost', line);
  }
  const own = lockOf(request, stolen.lock_token);
  equal((await as.liveKey(complete, { ...own, status: 200, body: '' })).outcome, 'ok');
  const replay = await as.liveKey(claim, request);
  deepEqual(replay.response, { status: 200, headers: {}, body: '', body_stored: true });
});

test('a second completion is reported as lost, and leaves the stored response unchanged', async (t) => {
  const app = await harness(t);
  const { request, lock } = await executing(app);
  await app.as.liveKey(complete, { ...lock, status: 200, body: base64(3) });
  const second = await app.as.liveKey(complete, { ...lock, status: 500, body: base64(4) });
  deepEqual(second, { object: 'idempotency_record', outcome: 'lost', body_stored: false });
  equal((await app.as.liveKey(heartbeat, lock)).outcome, 'lost');
  equal((await app.as.liveKey(release, lock)).outcome, 'lost');
  equal((await app.as.liveKey(claim, request)).response?.status, 200);
});

test('a released scope can be claimed again and does not count as stolen', async (t) => {
  const app = await harness(t);
  const { request, lock } = await executing(app);
  equal((await app.as.liveKey(release, lock)).outcome, 'ok');
  equal((await app.as.liveKey(release, lock)).outcome, 'lost');
  const again = await app.as.liveKey(claim, { ...request, fingerprint: newScope() });
  equal(`${again.state} ${again.stolen}`, 'execute false');
});

test('a heartbeat extends the lock, even beyond the record’s expiry', async (t) => {
  const app = await harness(t);
  const { as, clock } = app;
  const { request, lock } = await executing(app);
  for (let beat = 0; beat < 4; beat += 1) {
    clock.shift(LOCK_MS - 2000);
    equal((await as.liveKey(heartbeat, lock)).outcome, 'ok');
    equal((await as.liveKey(claim, request)).state, 'in_progress');
  }
  equal((await as.liveKey(complete, { ...lock, status: 204 })).outcome, 'ok');
});

test('after its lock expires, a holder can still complete unless another claim has stolen the lock', async (t) => {
  const app = await harness(t);
  const { lock } = await executing(app);
  app.clock.shift(LOCK_MS + 1000);
  equal((await app.as.liveKey(complete, { ...lock, status: 200 })).outcome, 'ok');
});

test('an expired record is purged and no longer replayed', async (t) => {
  const app = await harness(t);
  const { as, clock, testApp } = app;
  const { request, lock } = await executing(app);
  await as.liveKey(complete, { ...lock, status: 200, ttl_ms: TTL_MS });
  clock.shift(TTL_MS - 2000);
  await purgeTables(testApp, 'idempotency_records');
  equal((await as.liveKey(claim, request)).state, 'replay');
  clock.shift(4000);
  const fresh = await executing(app);
  await purgeTables(testApp, 'idempotency_records');
  equal((await as.liveKey(heartbeat, fresh.lock)).outcome, 'ok', 'a live record is not purged');
  equal(`${(await as.liveKey(claim, request)).stolen}`, 'false');
});

test('a body that is too large is accepted but not stored, and the replay says so', async (t) => {
  const app = await harness(t);
  for (const [body, isStored] of [
    [base64(262_144), true],
    [base64(262_145), false],
    [base64(4_718_592), false],
    [null, false],
  ] as const) {
    const { request, lock } = await executing(app);
    const done = await app.as.liveKey(complete, { ...lock, status: 200, body });
    equal(`${done.outcome} ${done.body_stored}`, `ok ${isStored}`);
    const { response } = await app.as.liveKey(claim, request);
    deepEqual(response, {
      status: 200,
      headers: {},
      body: isStored ? body : null,
      body_stored: isStored,
    });
  }
});

test('a response that cannot be stored and replayed exactly is rejected', async (t) => {
  const app = await harness(t);
  const { lock } = await executing(app);
  const bad = [
    { headers: { 'x-a': 'one\r\nset-cookie: two' } },
    { headers: { 'x-a': 'one\ntwo' } },
    { headers: { 'x a': 'one' } },
    { headers: { 'x-a:': 'one' } },
    { headers: { '': 'one' } },
    { headers: { 'x-ä': 'one' } },
    { headers: { 'x-a': '☃' } },
    { headers: { ['x'.repeat(129)]: 'one' } },
    { headers: { 'x-a': 'x'.repeat(4097) } },
    { body: 'e30' },
    { body: 'e3 0=' },
    { body: 'e30=\n' },
    { body: 'e3-_' },
    { body: 'e31=' },
    { status: 99 },
    { status: 600 },
    { lock_token: 'x'.repeat(7) },
    { lock_token: 'x'.repeat(65) },
    { ttl_ms: 59_999 },
    { ttl_ms: 604_800_001 },
  ];
  for (const part of bad) {
    const call = app.as.liveKey(complete, { ...lock, status: 200, ...part });
    equal(messageOf(await refused(call, 400, 'invalid_request')), 'The request body is not valid.');
  }
  equal((await app.as.liveKey(heartbeat, lock)).outcome, 'ok', 'nothing was changed');
});

test('a response with 9,000 headers is stored, and one with more than 10,000 values is rejected', async (t) => {
  const app = await harness(t);
  const { as } = app;
  const { request, lock } = await executing(app);
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, 'a,b']));
  const tooMany = as.liveKey(complete, { ...lock, status: 200, headers: many(10_001) });
  const { body } = await refused(tooMany, 400, 'invalid_request');
  deepEqual(body.error, {
    code: 'invalid_request',
    message: 'The request body is not valid.',
    details: [{ path: '', message: 'More than 10000 values.' }],
  });
  await as.liveKey(complete, { ...lock, status: 200, headers: many(9000) });
  deepEqual((await as.liveKey(claim, request)).response?.headers, many(9000));
});

test('the same scope can be claimed independently in each environment and workspace', async (t) => {
  const mine = await harness(t);
  const theirs = await harness(t);
  const request = aRequest();
  const live = await mine.as.liveKey(claim, request);
  const test = await mine.as.testKey(claim, { ...request, env: 'test' });
  const foreign = await theirs.as.liveKey(claim, request);
  deepEqual([live.state, test.state, foreign.state], ['execute', 'execute', 'execute']);
  const app = lockOf(request, live.lock_token);
  equal((await theirs.as.liveKey(release, app)).outcome, 'lost');
  equal((await mine.as.liveKey(release, { ...app, env: 'test' })).outcome, 'lost');
  await refused(mine.as.testKey(release, app), 403, 'forbidden');
  equal((await mine.as.liveKey(release, app)).outcome, 'ok');
});

test('when many callers claim a new scope concurrently, only one of them may execute the request', async (t) => {
  const { as } = await harness(t);
  for (let round = 0; round < 10; round += 1) {
    const request = aRequest();
    const states = await Promise.all(
      Array.from({ length: 40 }, async () => (await as.liveKey(claim, request)).state),
    );
    equal(states.filter((state) => state === 'execute').length, 1);
    equal(states.filter((state) => state === 'in_progress').length, 39);
  }
});
