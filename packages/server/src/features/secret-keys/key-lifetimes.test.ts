// A secret key can't get around its expiry: keys it creates expire no later than it does.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { harness, messageOf, refused } from '@keyrail/testing/harness.ts';

const create = 'POST /v1/secret_keys';
const read = 'GET /v1/secret_keys/{id}';
const rotate = 'POST /v1/secret_keys/{id}/rotate';

const HOUR_MS = 3_600_000;
const isoAfter = (start: Date, ms: number) => new Date(start.getTime() + ms).toISOString();

test('keys created by an expiring key expire with it, and so do the keys that those keys create', async (t) => {
  const { as, clock } = await harness(t);
  const soon = isoAfter(clock.now(), HOUR_MS);
  const maker = await as.liveKey(create, { env: 'live', expires_at: soon });
  const child = await as.token(maker.key)(create, { env: 'live' });
  const grandchild = await as.token(child.key)(create, { env: 'test' });
  deepEqual([child.expires_at, grandchild.expires_at], [soon, soon]);

  clock.shift(HOUR_MS + 1000);
  for (const { key } of [maker, child, grandchild]) {
    await refused(as.token(key)('GET /v1/workspace'), 401, 'invalid_key');
  }
});

test('an `expires_at` later than the calling key’s is rejected, and the error gives the field’s path', async (t) => {
  const { as, clock } = await harness(t);
  const soon = isoAfter(clock.now(), HOUR_MS);
  const maker = as.token((await as.liveKey(create, { env: 'live', expires_at: soon })).key);
  const later = isoAfter(clock.now(), 2 * HOUR_MS);
  const answer = await refused(
    maker(create, { env: 'live', expires_at: later }),
    400,
    'invalid_request',
  );
  deepEqual(answer.body.error, {
    code: 'invalid_request',
    message: 'The request body is not valid.',
    details: [
      {
        path: 'expires_at',
        message: "Must not be later than the calling secret key's own expires_at.",
      },
    ],
  });
  equal((await maker(create, { env: 'live', expires_at: soon })).expires_at, soon);
  const sooner = isoAfter(clock.now(), HOUR_MS / 2);
  equal((await maker(create, { env: 'test', expires_at: sooner })).expires_at, sooner);
});

test('users and keys that never expire can create keys with any expiry', async (t) => {
  const { as, clock } = await harness(t);
  const later = isoAfter(clock.now(), 1000 * HOUR_MS);
  for (const maker of [as.owner, as.liveKey]) {
    equal((await maker(create, { env: 'live' })).expires_at, null);
    equal((await maker(create, { env: 'live', expires_at: later })).expires_at, later);
  }
});

test('during its overlap, a key can only create keys that expire by the end of the overlap', async (t) => {
  const { as } = await harness(t);
  const old = await as.liveKey(create, { env: 'live' });
  const { previous_key } = await as.liveKey(rotate, { id: old.id, overlap_hours: 1 });
  const made = await as.token(old.key)(create, { env: 'live' });
  equal(made.expires_at, previous_key.expires_at);
});

test('an expiring key cannot rotate a key that expires later', async (t) => {
  const { as, clock } = await harness(t);
  const soon = isoAfter(clock.now(), HOUR_MS);
  const expiring = await as.liveKey(create, { env: 'live', expires_at: soon });
  const call = as.token(expiring.key);
  const lasting = await as.liveKey(create, { env: 'live' });
  const later = isoAfter(clock.now(), 2 * HOUR_MS);
  const longer = await as.liveKey(create, { env: 'test', expires_at: later });
  for (const { id, expires_at } of [lasting, longer]) {
    const answer = await refused(call(rotate, { id }), 403, 'forbidden');
    equal(messageOf(answer), 'A secret key cannot rotate a key that expires later than it does.');
    equal((await as.liveKey(read, { id })).expires_at, expires_at, 'the old key is unchanged');
  }
  const next = await call(rotate, { id: expiring.id });
  equal(next.expires_at, soon);
  await as.token(next.key)(rotate, { id: next.id });
});
