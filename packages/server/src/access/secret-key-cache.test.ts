// The secret key cache, and every way an entry could outlive a revocation.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import type { Principal } from './principal.ts';
import {
  CACHED_KEYS_MAX,
  createSecretKeyCache,
  type ReadKey,
  type SecretKeyCache,
} from './secret-key-cache.ts';

const LIFE_MS = 5000;

const principalFor = (token: string): Principal => ({
  kind: 'session', // any kind of principal will do: tests only compare IDs
  userId: token,
  sessionId: token,
  isVerified: true,
  reach: null,
});

type Reading = { token: string; answer(more?: Partial<ReadKey>): void; fail(): void };

/** A cache whose reads and clock are controlled by the test. */
function scene(lifeMs = LIFE_MS) {
  let nowMs = 1000;
  const readings: Reading[] = [];
  const cache = createSecretKeyCache({
    lifeMs,
    nowMs: () => nowMs,
    read: (token) =>
      new Promise((resolve, reject) =>
        readings.push({
          token,
          answer: (more = {}) =>
            resolve({
              id: `id of ${token}`,
              principal: principalFor(token),
              expiresInMs: null,
              ...more,
            }),
          fail: () => reject(new Error('invalid')),
        }),
      ),
  });
  return {
    cache,
    readings,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

/** Returns whether the next request would be served from the cache. */
const isKnown = (cache: SecretKeyCache, token: string, withinMs = LIFE_MS): boolean => {
  const found = cache.principalOf(token, withinMs);
  if (found instanceof Promise) found.catch(() => {});
  return !(found instanceof Promise);
};

async function fill(one: ReturnType<typeof scene>, token: string, more?: Partial<ReadKey>) {
  const asked = one.cache.principalOf(token, LIFE_MS);
  one.readings.at(-1)?.answer(more);
  return asked;
}

test('a key is read once per cache lifetime, and using the key does not extend that lifetime', async () => {
  const one = scene();
  deepEqual(await fill(one, 'a'), principalFor('a'));
  for (let at = 0; at < 4; at += 1) {
    equal(isKnown(one.cache, 'a'), true);
    one.pass(LIFE_MS / 4);
  }
  equal(isKnown(one.cache, 'a'), false);
  equal(one.readings.length, 2);
});

test('a lifetime starts when the read starts, even if the read is slow', async () => {
  const one = scene();
  const asked = one.cache.principalOf('a', LIFE_MS);
  one.pass(LIFE_MS - 1);
  one.readings[0]?.answer();
  await asked;
  equal(isKnown(one.cache, 'a'), true);
  one.pass(1);
  equal(isKnown(one.cache, 'a'), false);
});

test('an entry’s age is measured from the start of its read', async () => {
  const one = scene();
  const asked = one.cache.principalOf('a', 50);
  one.pass(49);
  one.readings[0]?.answer();
  await asked;
  equal(isKnown(one.cache, 'a', 50), true);
  one.pass(1);
  equal(isKnown(one.cache, 'a', 50), false);
});

test('an entry too old for one endpoint may still be fresh enough for another', async () => {
  const one = scene();
  await fill(one, 'a');
  one.pass(49);
  equal(isKnown(one.cache, 'a', 50), true);
  one.pass(1);
  equal(isKnown(one.cache, 'a'), true);
  equal(isKnown(one.cache, 'a', 50), false);
  one.readings[1]?.answer();
  await null;
  await null;
  equal(isKnown(one.cache, 'a', 1), true, 'the new read serves every endpoint');
  equal(isKnown(one.cache, 'a', 0), false, 'a maximum age of zero always forces a read');
});

test('requests do not join a read that began too long ago', async () => {
  const one = scene();
  const early = one.cache.principalOf('a', 50);
  one.pass(49);
  const joined = one.cache.principalOf('a', 50);
  equal(one.readings.length, 1);
  one.pass(1);
  const late = one.cache.principalOf('a', 50);
  equal(one.readings.length, 2);
  one.readings[0]?.answer();
  await Promise.all([early, joined]);
  one.readings[1]?.fail();
  await rejects(async () => late);
});

test('concurrent requests for a key share one read', async () => {
  const one = scene();
  const asked = Array.from({ length: 50 }, () => one.cache.principalOf('a', LIFE_MS));
  equal(one.readings.length, 1);
  one.readings[0]?.answer();
  for (const found of await Promise.all(asked)) deepEqual(found, principalFor('a'));
});

test('a rejection applies to every request that shares the read, and is not cached', async () => {
  const one = scene();
  const asked = [one.cache.principalOf('a', LIFE_MS), one.cache.principalOf('a', LIFE_MS)];
  one.readings[0]?.fail();
  for (const refused of asked) await rejects(async () => refused);
  equal(isKnown(one.cache, 'a'), false);
  equal(one.readings.length, 2);
});

test('a revoked key is evicted immediately, and other keys stay cached', async () => {
  const one = scene();
  await fill(one, 'a');
  await fill(one, 'b');
  one.cache.evict('id of a');
  equal(isKnown(one.cache, 'b'), true);
  equal(isKnown(one.cache, 'a'), false);
});

test('the result of a read that began before a revocation is not cached', async () => {
  const one = scene();
  const asked = one.cache.principalOf('a', LIFE_MS);
  one.cache.evict('id of a');
  one.readings[0]?.answer();
  await asked;
  equal(isKnown(one.cache, 'a'), false);
});

test('a request made after a revocation does not join a read that began before it', async () => {
  const one = scene();
  const early = one.cache.principalOf('a', LIFE_MS);
  one.cache.evict('id of a');
  const late = one.cache.principalOf('a', LIFE_MS);
  equal(one.readings.length, 2);
  one.readings[0]?.answer();
  await early;
  const joined = one.cache.principalOf('a', LIFE_MS);
  equal(one.readings.length, 2, 'the second read is still running');
  one.readings[1]?.fail();
  for (const refused of [late, joined]) await rejects(async () => refused);
  equal(isKnown(one.cache, 'a'), false);
});

test('clearing the cache removes all keys', async () => {
  const one = scene();
  await fill(one, 'a');
  const asked = one.cache.principalOf('b', LIFE_MS);
  one.cache.clear();
  one.readings[1]?.answer();
  await asked;
  equal(isKnown(one.cache, 'a') || isKnown(one.cache, 'b'), false);
});

test('a key that expires within the lifetime is cached only until then', async () => {
  const one = scene();
  await fill(one, 'a', { expiresInMs: 300 });
  one.pass(299);
  equal(isKnown(one.cache, 'a'), true);
  one.pass(1);
  equal(isKnown(one.cache, 'a'), false);
});

test('the time until a key expires is also measured from the start of the read', async () => {
  const one = scene();
  const asked = one.cache.principalOf('a', LIFE_MS);
  one.pass(200);
  one.readings[0]?.answer({ expiresInMs: 300 });
  await asked;
  one.pass(99);
  equal(isKnown(one.cache, 'a'), true);
  one.pass(1);
  equal(isKnown(one.cache, 'a'), false);
});

test('with a lifetime of zero, nothing is cached', async () => {
  const one = scene(0);
  await fill(one, 'a');
  equal(isKnown(one.cache, 'a'), false);
});

test('beyond CACHED_KEYS_MAX keys, the oldest are evicted', async () => {
  const one = scene();
  for (let at = 0; at <= CACHED_KEYS_MAX; at += 1) await fill(one, `key ${at}`);
  equal(isKnown(one.cache, 'key 0'), false);
  equal(isKnown(one.cache, 'key 1'), true);
  equal(isKnown(one.cache, `key ${CACHED_KEYS_MAX}`), true);
  const anew = one.cache.principalOf('key 1', 0);
  one.readings.at(-1)?.answer();
  await anew;
  await fill(one, 'one more');
  equal(isKnown(one.cache, 'key 1'), true, 'it was read again');
  equal(isKnown(one.cache, 'key 2'), false);
});
