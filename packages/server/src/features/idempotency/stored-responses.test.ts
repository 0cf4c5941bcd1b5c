// Stored responses are limited per workspace and environment, and encrypted in the database.

import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, callerWith, type Harness, harness } from '@keyrail/testing/harness.ts';
import { aRequest, claim, complete, lockOf, TTL_MS } from '@keyrail/testing/idempotency.ts';
import { purgeTables } from '@keyrail/testing/purge.ts';
import type { Opening } from '../../db/database.ts';

const KIBIBYTE = 1024;
const LONG_MS = 600_000;
const base64 = (bytes: number) => Buffer.alloc(bytes, 'k').toString('base64');

const recordDoor = ({ workspaceId }: Harness): Opening => ({
  role: 'kr_record',
  scope: { workspaceId, envs: ['live', 'test'] },
  deadline: { remainingMs: () => 10_000 },
});

const sql = (app: Harness, text: string, values: unknown[] = []) =>
  app.testApp.db.once(recordDoor(app), { text, values });

/**
 * Returns callers of an app that shares the database but stores only this many bytes of responses.
 */
function storingUpTo({ testApp, tokens }: Harness, idempotencyBytesMax: number) {
  const small = { ...testApp, app: testApp.variant({ idempotencyBytesMax }) };
  return { live: callerWith(small, tokens.liveKey), test: callerWith(small, tokens.testKey) };
}

type Wanted = { env?: string; body?: string; headers?: object; ttlMs?: number };

/**
 * Claims a scope and stores a response for it. Returns the request, so that the test can claim the
 * scope again.
 */
async function stored(call: Caller, { env = 'live', ttlMs = TTL_MS, ...response }: Wanted) {
  const request = { ...aRequest(), env, ttl_ms: ttlMs };
  const { lock_token } = await call(claim, request);
  const done = { ...lockOf(request, lock_token), status: 201, ttl_ms: ttlMs, ...response };
  const { outcome, body_stored } = await call(complete, done);
  equal(outcome, 'ok');
  return { request, isStored: body_stored };
}

/** Returns the number of stored bytes, both as counted and as actually present in the records. */
async function bytesOf(app: Harness) {
  const { rows } = await sql(
    app,
    `select (select coalesce(sum(bytes), 0)::int from idempotency_totals) as counted,
      (select coalesce(sum(octet_length(sealed)), 0)::int from idempotency_records) as there`,
  );
  return { counted: Number(rows[0]?.counted), there: Number(rows[0]?.there) };
}

test('if a workspace’s storage is full, requests complete but response bodies are not stored, and replays say so', async (t) => {
  const app = await harness(t);
  const { live } = storingUpTo(app, 64 * KIBIBYTE);
  const headers = { 'content-type': 'text/plain' };
  const first = await stored(live, { body: base64(60 * KIBIBYTE), headers });
  equal(first.isStored, true);
  const second = await stored(live, { body: base64(8 * KIBIBYTE), headers });
  equal(second.isStored, false);
  deepEqual((await live(claim, second.request)).response, {
    status: 201,
    headers,
    body: null,
    body_stored: false,
  });
  const small = await stored(live, { body: base64(KIBIBYTE) });
  equal(small.isStored, true, 'a body that still fits is stored');
  equal((await live(claim, first.request)).response?.body, base64(60 * KIBIBYTE));
});

test('headers count towards the limit, and long headers are omitted once it is reached', async (t) => {
  const app = await harness(t);
  const { live } = storingUpTo(app, 64 * KIBIBYTE);
  const headers = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`x-${at}`, 'v'.repeat(4000)]),
  );
  const { request } = await stored(live, { headers });
  deepEqual((await live(claim, request)).response?.headers, {});
  ok((await bytesOf(app)).there < KIBIBYTE);
});

test('a full environment or workspace does not affect other environments and workspaces', async (t) => {
  const mine = await harness(t);
  const theirs = await harness(t);
  const callers = storingUpTo(mine, 64 * KIBIBYTE);
  const body = base64(60 * KIBIBYTE);
  equal((await stored(callers.test, { env: 'test', body })).isStored, true);
  equal((await stored(callers.test, { env: 'test', body })).isStored, false);
  equal((await stored(callers.live, { body })).isStored, true);
  equal((await stored(storingUpTo(theirs, 64 * KIBIBYTE).live, { body })).isStored, true);
});

test('expired records stop counting towards the limit once they are purged or their scope is claimed again', async (t) => {
  const app = await harness(t);
  const { live } = storingUpTo(app, 64 * KIBIBYTE);
  const body = base64(40 * KIBIBYTE);
  const { request } = await stored(live, { body });
  equal((await stored(live, { body, ttlMs: LONG_MS })).isStored, false);
  app.clock.shift(TTL_MS + 1000);
  equal((await live(claim, request)).state, 'execute', 'the expired scope is claimed again');
  equal((await stored(live, { body })).isStored, true);
  app.clock.shift(TTL_MS + 1000);
  await purgeTables(app.testApp, 'idempotency_records');
  const left = await bytesOf(app);
  equal(left.counted, left.there);
  equal((await stored(live, { body })).isStored, true);
});

test('the counters stay exact under concurrent claims, completions and purges', async (t) => {
  const app = await harness(t);
  const { live, test: inTest } = storingUpTo(app, 512 * KIBIBYTE);
  const scopes = Array.from({ length: 40 }, () => ({ ...aRequest(), ttl_ms: TTL_MS }));
  for (let round = 0; round < 5; round += 1) {
    const work = scopes.map(async (request, at) => {
      const env = at % 3 === 0 ? 'test' : 'live';
      const call = env === 'test' ? inTest : live;
      const { lock_token } = await call(claim, { ...request, env });
      if (lock_token === null) return;
      const body = base64(((at * 7 + round) % 32) * KIBIBYTE);
      await call(complete, { ...lockOf({ ...request, env }, lock_token), status: 200, body });
    });
    await Promise.all([...work, purgeTables(app.testApp, 'idempotency_records')]);
    const { counted, there } = await bytesOf(app);
    equal(counted, there);
    notEqual(counted, 0);
    app.clock.shift(round % 2 === 0 ? 86_400_000 : TTL_MS + 1000);
  }
  app.clock.shift(86_400_000);
  await purgeTables(app.testApp, 'idempotency_records');
  deepEqual(await bytesOf(app), { counted: 0, there: 0 });
});

test('stored responses are encrypted in the database', async (t) => {
  const app = await harness(t);
  const secret = 'tok_SECRET_of_a_customer';
  const body = Buffer.from(JSON.stringify({ card_token: secret })).toString('base64');
  const { request } = await stored(app.as.liveKey, { body, headers: { 'x-secret': secret } });
  const { rows } = await sql(app, 'select * from idempotency_records');
  const bytes = rows.flatMap((row) => Object.values(row)).filter((value) => Buffer.isBuffer(value));
  equal(rows.length, 1);
  equal(JSON.stringify(rows).includes(secret), false);
  ok(bytes.every((value) => !value.includes(secret)));
  equal((await app.as.liveKey(claim, request)).response?.body, body);
});

test('a response copied to another record is not replayed there', async (t) => {
  const app = await harness(t);
  const mine = await stored(app.as.liveKey, { body: base64(10), headers: { 'x-a': 'b' } });
  const other = await stored(app.as.liveKey, { body: base64(20) });
  const scope = Buffer.from(mine.request.scope_hash, 'hex');
  await sql(
    app,
    `update idempotency_records set sealed =
        (select sealed from idempotency_records where scope_hash = $1)
      where scope_hash <> $1`,
    [scope],
  );
  const replay = await app.as.liveKey(claim, other.request);
  deepEqual(
    [replay.state, replay.response?.status],
    ['replay', 201],
    'the request does not run again',
  );
  deepEqual([replay.response?.body, replay.response?.body_stored], [null, false]);
  deepEqual(replay.response?.headers, {});
});

test('a response stored by a release that did not encrypt responses is replayed until it expires', async (t) => {
  const app = await harness(t);
  const { request } = await stored(app.as.liveKey, {});
  await sql(
    app,
    `update idempotency_records set sealed = null, headers = '{"x-a":"b"}', body = 'old'
      where scope_hash = $1`,
    [Buffer.from(request.scope_hash, 'hex')],
  );
  deepEqual((await app.as.liveKey(claim, request)).response, {
    status: 201,
    headers: { 'x-a': 'b' },
    body: Buffer.from('old').toString('base64'),
    body_stored: true,
  });
});
