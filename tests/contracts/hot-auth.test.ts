// A revoked secret key on the hot lines: refused at once where it was revoked, in every other
// process after one life at the latest, and with the news of it (PostgreSQL) long before.
import { equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../packages/server/src/db/database.ts';
import { type Bench, bench, type Caller, Refusal } from '../bench.ts';
import { appBeside, traced } from '../beside.ts';
import { onPostgres } from './store.ts';

const check = 'POST /v1/ratelimit/check';
const LIFE_MS = 1500;
/** What a busy machine may add to any wait. */
const SLACK_MS = 250;

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

const newKey = ({ as }: Bench, more = {}) =>
  as.liveKey('POST /v1/secret_keys', { env: 'live', ...more });

/** Lets `lost` of a process's notifications go unheard. */
const deaf = (db: Database): Database => {
  const { listen: _, ...rest } = db;
  return rest;
};

test('where it was revoked or rotated away, a key is refused from the next request on', async (t) => {
  const held = await bench(t);
  for (const [line, more] of [
    ['POST /v1/secret_keys/{id}/revoke', {}],
    ['POST /v1/secret_keys/{id}/rotate', { overlap_hours: 0 }],
  ] as const) {
    const { id, key } = await newKey(held);
    const call = held.as.token(key);
    equal(await isAccepted(call), true);
    await held.as.liveKey(line, { id, ...more });
    equal(await isAccepted(call), false, line);
  }
});

test('no other process accepts it after one life, even if it hears no news', async (t) => {
  const held = await bench(t);
  const db = deaf(held.world.db);
  const beside = appBeside(t, held.world, { db, hotAuthMs: LIFE_MS });
  const { id, key } = await newKey(held);
  const call = beside.as(key);
  equal(await isAccepted(call), true);
  await held.as.liveKey('POST /v1/secret_keys/{id}/revoke', { id });
  const revokedAt = performance.now();
  let latest = 0;
  let askedAt = performance.now();
  while (await isAccepted(call)) {
    latest = askedAt - revokedAt;
    ok(latest <= LIFE_MS + SLACK_MS, `accepted ${latest} ms after the revoke`);
    await sleep(20);
    askedAt = performance.now();
  }
  ok(latest > 0, 'it was remembered, or this shows nothing');
  await sleep(LIFE_MS / 3);
  equal(await isAccepted(call), false);
});

test('every process that hears the news forgets it long before', {
  skip: onPostgres ? false : 'the embedded store has one process',
}, async (t) => {
  const held = await bench(t);
  const beside = appBeside(t, held.world, { hotAuthMs: 60_000 });
  await sleep(500); // until its ear is open
  const { id, key } = await newKey(held);
  const call = beside.as(key);
  equal(await isAccepted(call), true);
  await held.as.liveKey('POST /v1/secret_keys/{id}/revoke', { id });
  const deadline = performance.now() + 5000;
  while (await isAccepted(call)) {
    ok(performance.now() < deadline, 'the news did not arrive');
    await sleep(10);
  }
});

/** Holds the first look-up of a key between its reading and its being told. */
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

test('a look-up that is under way when the key is revoked never lengthens its life', async (t) => {
  const held = await bench(t);
  const slow = holding(held.world.db);
  const beside = appBeside(t, held.world, { db: slow.db, hotAuthMs: 60_000 });
  const { id, key } = await newKey(held);
  const call = beside.as(key);
  const early = isAccepted(call);
  await slow.held;
  await beside.as(held.tokens.liveKey)('POST /v1/secret_keys/{id}/revoke', { id });
  equal(await isAccepted(call), false, 'nobody joins a look-up from before the revoke');
  slow.letGo();
  equal(await early, true, 'it was read before the revoke, or this shows nothing');
  equal(await isAccepted(call), false);
});

test('a key that expires within the life is refused once it has expired', async (t) => {
  const held = await bench(t);
  const ends = Date.now() + 700;
  const { key } = await newKey(held, { expires_at: new Date(ends).toISOString() });
  const call = held.as.token(key);
  equal(await isAccepted(call), true);
  await sleep(ends - Date.now() + 20);
  equal(await isAccepted(call), false);
});

test('lines that are not hot never use what is remembered for those', async (t) => {
  const held = await bench(t);
  const beside = appBeside(t, held.world, { db: deaf(held.world.db), hotAuthMs: 60_000 });
  const { id, key } = await newKey(held);
  equal(await isAccepted(beside.as(key)), true);
  await held.as.liveKey('POST /v1/secret_keys/{id}/revoke', { id });
  equal(await isAccepted(beside.as(key)), true, 'it is remembered, or this shows nothing');
  equal(await isAccepted(beside.as(key), 'GET /v1/environments'), false);
});

test('a revocation is answered when no process takes the key any more, even one that is deaf', async (t) => {
  const held = await bench(t);
  const { db, take } = traced(deaf(held.world.db));
  const beside = appBeside(t, held.world, { db });
  let servedAgain = 0;
  for (const [line, more] of [
    ['POST /v1/secret_keys/{id}/revoke', {}],
    ['POST /v1/secret_keys/{id}/rotate', { overlap_hours: 0 }],
  ] as const) {
    for (let round = 0; round < 5; round += 1) {
      const { id, key } = await newKey(held);
      const ask = () => isAccepted(beside.as(key), 'GET /v1/environments');
      let isAnswered = false;
      const revoking = held.as.liveKey(line, { id, ...more }).finally(() => {
        isAnswered = true;
      });
      while (!isAnswered) {
        take();
        if ((await ask()) && take().length === 0) servedAgain += 1;
      }
      equal(await ask(), false, line);
      await revoking;
    }
  }
  ok(servedAgain > 0, 'a reading served a second request, or this shows nothing');
});

test('of several who revoke a key at once, none is answered earlier', async (t) => {
  const held = await bench(t);
  const beside = appBeside(t, held.world, { db: deaf(held.world.db) });
  let remembered = 0;
  for (let round = 0; round < 10; round += 1) {
    const { id, key } = await newKey(held);
    const ask = () => isAccepted(beside.as(key), 'GET /v1/environments');
    const revoke = () => held.as.liveKey('POST /v1/secret_keys/{id}/revoke', { id });
    const revoking = [revoke(), revoke(), revoke()];
    if (await ask()) remembered += 1;
    await Promise.race(revoking);
    equal(await ask(), false);
    await Promise.all(revoking);
  }
  ok(remembered > 0, 'it was read before, or this shows nothing');
});

test('minting takes no reading but its own', async (t) => {
  const held = await bench(t);
  const { db, take } = traced(held.world.db);
  const beside = appBeside(t, held.world, { db, hotAuthMs: 60_000 });
  const readings = () => take().filter(({ text }) => text.includes('from secret_keys')).length;
  const { key } = await newKey(held);
  const call = beside.as(key);
  equal(await isAccepted(call), true);
  equal(readings(), 1);
  const nowhere = { project_id: randomUUID(), env: 'live', tenant_id: randomUUID() };
  for (let at = 0; at < 3; at += 1) {
    await call('POST /v1/embed_tokens', nowhere).catch(() => {});
    equal(readings(), 1);
  }
});
