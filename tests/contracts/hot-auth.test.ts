// Once a secret key is revoked, hot endpoints (those that nodes call constantly) reject it: the
// process that revoked it immediately, and every other process within one cache lifetime, or much
// sooner if it receives notifications (PostgreSQL).
import { equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Database, Listener } from '@keyrail/server/db/database.ts';
import { type Caller, type Harness, harness, Refusal } from '@keyrail/testing/harness.ts';
import { appBeside, traced } from '@keyrail/testing/second-app.ts';
import { until } from '@keyrail/testing/until.ts';
import { onPostgres } from './store.ts';

const check = 'POST /v1/ratelimit/check';
/** How long cached keys are kept: longer than any test takes, however slow the machine is. */
const LIFE_MS = 600_000;
const ROUNDS_MS_MAX = 60_000;

const input = () => ({
  project_id: randomUUID(),
  env: 'live',
  limits: [{ id: 'a', limit: 1e9, window_ms: 1000, algorithm: 'fixed', scope: 'key' }],
});

const isAccepted = (
  call: Caller,
  line: typeof check | 'GET /v1/environments' = check,
): Promise<boolean> =>
  (line === check ? call(line, input()) : call(line)).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Refusal && error.answer.status === 401) return false;
      throw error;
    },
  );

const newKey = ({ as }: Harness, more = {}) =>
  as.liveKey('POST /v1/secret_keys', { env: 'live', ...more });

/** The database as seen by a process that receives no notifications. */
const deaf = (db: Database): Database => {
  const { listen: _, ...rest } = db;
  return rest;
};

test('the process that revoked or rotated a key rejects it from the next request onwards', async (t) => {
  const app = await harness(t);
  for (const [line, more] of [
    ['POST /v1/secret_keys/{id}/revoke', {}],
    ['POST /v1/secret_keys/{id}/rotate', { overlap_hours: 0 }],
  ] as const) {
    const { id, key } = await newKey(app);
    const call = app.as.token(key);
    equal(await isAccepted(call), true);
    await app.as.liveKey(line, { id, ...more });
    equal(await isAccepted(call), false, line);
  }
});

test('no process accepts a revoked key for longer than one cache lifetime, even without notifications', async (t) => {
  const app = await harness(t);
  const db = deaf(app.testApp.db);
  const beside = appBeside(t, app.testApp, { db, hotAuthMs: LIFE_MS });
  const { id, key } = await newKey(app);
  const call = beside.as(key);
  equal(await isAccepted(call), true);
  await app.as.liveKey('POST /v1/secret_keys/{id}/revoke', { id });
  equal(await isAccepted(call), true, 'the key is cached');
  app.clock.shift(LIFE_MS);
  equal(await isAccepted(call), false);
  app.clock.shift(LIFE_MS);
  equal(await isAccepted(call), false);
});

/** A database, and a promise that resolves once an app on it listens for secret-key changes. */
function heardBy(db: Database): { db: Database; isListening: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const listen = (listener: Listener) =>
    db.listen?.({
      ...listener,
      onOpen() {
        listener.onOpen?.();
        if (listener.channel === 'kr_secret_keys') resolve();
      },
    }) ?? { close: async () => {} };
  return { db: { ...db, listen }, isListening: promise };
}

test('every process that receives a notification rejects the key much sooner', {
  skip: onPostgres ? false : 'the embedded store has one process',
}, async (t) => {
  const app = await harness(t);
  const { db, isListening } = heardBy(app.testApp.db);
  const beside = appBeside(t, app.testApp, { db, hotAuthMs: LIFE_MS });
  await isListening;
  const { id, key } = await newKey(app);
  const call = beside.as(key);
  equal(await isAccepted(call), true);
  await app.as.liveKey('POST /v1/secret_keys/{id}/revoke', { id });
  await until(async () => !(await isAccepted(call)));
});

/** Pauses the first lookup of a key after it has read the key, but before it returns. */
function holding(db: Database): { db: Database; held: Promise<void>; letGo(): void } {
  const reached = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  let isFirst = true;
  const once: Database['once'] = async (opening, statement) => {
    const answer = await db.once(opening, statement);
    if (isFirst && statement.text.includes('expires_in_ms')) {
      isFirst = false;
      reached.resolve();
      await gone.promise;
    }
    return answer;
  };
  return { db: { ...db, once }, held: reached.promise, letGo: gone.resolve };
}

test('a lookup in progress during a revocation never keeps the key valid for longer', async (t) => {
  const app = await harness(t);
  const slow = holding(app.testApp.db);
  const beside = appBeside(t, app.testApp, { db: slow.db, hotAuthMs: LIFE_MS });
  const { id, key } = await newKey(app);
  const call = beside.as(key);
  const early = isAccepted(call);
  await slow.held;
  await beside.as(app.tokens.liveKey)('POST /v1/secret_keys/{id}/revoke', { id });
  equal(await isAccepted(call), false, 'a request joined a lookup from before the revocation');
  slow.letGo();
  equal(await early, true, 'the lookup read before the revocation');
  equal(await isAccepted(call), false);
});

test('a cached key is rejected once it has expired', async (t) => {
  const app = await harness(t);
  const beside = appBeside(t, app.testApp, { hotAuthMs: LIFE_MS });
  const expiresInMs = LIFE_MS / 2;
  const expiresAt = new Date(app.clock.now().getTime() + expiresInMs);
  const { key } = await newKey(app, { expires_at: expiresAt.toISOString() });
  const call = beside.as(key);
  equal(await isAccepted(call), true);
  app.clock.shift(expiresInMs);
  equal(await isAccepted(call), false);
});

test('only endpoints marked as hot accept a cached lookup that is not very recent', async (t) => {
  const app = await harness(t);
  const beside = appBeside(t, app.testApp, { db: deaf(app.testApp.db), hotAuthMs: LIFE_MS });
  const { id, key } = await newKey(app);
  equal(await isAccepted(beside.as(key)), true);
  await app.as.liveKey('POST /v1/secret_keys/{id}/revoke', { id });
  equal(await isAccepted(beside.as(key)), true, 'the key is cached');
  equal(await isAccepted(beside.as(key), 'GET /v1/environments'), false);
});

test('endpoints that are not marked as hot accept very recent cached lookups', async (t) => {
  const app = await harness(t);
  const { db, take } = traced(app.testApp.db);
  // The cache's clock stands still, because on a slow machine an entry would expire during the
  // test.
  const clock = { ...app.clock, shiftMs: () => -performance.now() };
  const beside = appBeside(t, app.testApp, { db, clock });
  const { key } = await newKey(app);
  const ask = () => isAccepted(beside.as(key), 'GET /v1/environments');
  equal(await ask(), true);
  take();
  equal(await ask(), true);
  equal(take().length, 0);
});

test('revoking a key does not return until no process accepts the key, even without notifications', async (t) => {
  const app = await harness(t);
  const beside = appBeside(t, app.testApp, { db: deaf(app.testApp.db) });
  for (const [line, more] of [
    ['POST /v1/secret_keys/{id}/revoke', {}],
    ['POST /v1/secret_keys/{id}/rotate', { overlap_hours: 0 }],
  ] as const) {
    for (let round = 0; round < 5; round += 1) {
      const { id, key } = await newKey(app);
      const ask = () => isAccepted(beside.as(key), 'GET /v1/environments');
      let isAnswered = false;
      const revoking = app.as.liveKey(line, { id, ...more }).finally(() => {
        isAnswered = true;
      });
      while (!isAnswered) await ask();
      equal(await ask(), false, line);
      await revoking;
    }
  }
});

test('if a key is revoked several times concurrently, each call waits until no process accepts it', async (t) => {
  const app = await harness(t);
  const beside = appBeside(t, app.testApp, { db: deaf(app.testApp.db) });
  let remembered = 0;
  const endsAt = performance.now() + ROUNDS_MS_MAX;
  const isDone = (round: number) => round >= 10 && (remembered > 0 || performance.now() > endsAt);
  for (let round = 0; !isDone(round); round += 1) {
    const { id, key } = await newKey(app);
    const ask = () => isAccepted(beside.as(key), 'GET /v1/environments');
    const revoke = () => app.as.liveKey('POST /v1/secret_keys/{id}/revoke', { id });
    const revoking = [revoke(), revoke(), revoke()];
    if (await ask()) remembered += 1;
    await Promise.race(revoking);
    equal(await ask(), false);
    await Promise.all(revoking);
  }
  ok(remembered > 0, 'the key was cached before');
});

test('creating an embed token never uses a cached lookup', async (t) => {
  const app = await harness(t);
  const { db, take } = traced(app.testApp.db);
  const beside = appBeside(t, app.testApp, { db, hotAuthMs: LIFE_MS });
  const readings = () => take().filter(({ text }) => text.includes('from secret_keys')).length;
  const { key } = await newKey(app);
  const call = beside.as(key);
  equal(await isAccepted(call), true);
  equal(readings(), 1);
  const nowhere = { project_id: randomUUID(), env: 'live', tenant_id: randomUUID() };
  for (let at = 0; at < 3; at += 1) {
    await call('POST /v1/embed_tokens', nowhere).catch(() => {});
    equal(readings(), 1);
  }
});
