// A scheduled job runs on one worker at a time, and every job is safe to run twice.

import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Harness, harness, refused } from '@keyrail/testing/harness.ts';
import { callersOf, logIn, mailedToken, signUp, someone } from '@keyrail/testing/people.ts';
import { purgeTables } from '@keyrail/testing/purge.ts';
import { lockJob, updateHeartbeat, updateJobDone } from './rows.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const LEASE_MS = 10 * MINUTE_MS;
const EVERY_MS = HOUR_MS;

const holderOf = ({ testApp }: Harness) => testApp.app.worker.newId();

const take = ({ testApp }: Harness, name: string, holder: string): Promise<boolean> =>
  testApp.app.worker.work((tx) =>
    lockJob(tx, { name, holder, leaseMs: LEASE_MS, everyMs: EVERY_MS }),
  );

const finish = ({ testApp }: Harness, name: string, holder: string): Promise<void> =>
  testApp.app.worker.work((tx) => updateJobDone(tx, { name, holder, everyMs: EVERY_MS }));

async function count({ testApp }: Harness, table: string): Promise<number> {
  const text = `select count(*)::int as count from ${table}`;
  const { rows } = await testApp.app.worker.work((tx) => tx.run({ text, values: [] }));
  return Number(rows[0]?.count);
}

test('only one of many workers that request a job gets it', async (t) => {
  const app = await harness(t);
  for (const name of ['first', 'second', 'third']) {
    const taken = await Promise.all(
      Array.from({ length: 20 }, () => take(app, name, holderOf(app))),
    );
    equal(taken.filter(Boolean).length, 1);
  }
});

test('a finished job is due again after its interval, on any worker', async (t) => {
  const app = await harness(t);
  const one = holderOf(app);
  const two = holderOf(app);
  equal(await take(app, 'hourly', one), true);
  await finish(app, 'hourly', one);
  equal(await take(app, 'hourly', one), false);
  app.clock.shift(EVERY_MS - MINUTE_MS);
  equal(await take(app, 'hourly', two), false);
  app.clock.shift(2 * MINUTE_MS);
  equal(await take(app, 'hourly', two), true);
  equal(await take(app, 'hourly', one), false);
});

test('jobs still run after a clock that was ahead is set back', async (t) => {
  const app = await harness(t);
  const one = holderOf(app);
  const two = holderOf(app);
  app.clock.shift(300 * DAY_MS);
  equal(await take(app, 'done', one), true);
  await finish(app, 'done', one);
  equal(await take(app, 'dead', one), true);
  app.clock.shift(-LEASE_MS / 2);
  equal(
    await take(app, 'dead', two),
    false,
    'set back by less than a lease: the holder may still be working',
  );
  app.clock.shift(-299 * DAY_MS);
  equal(await take(app, 'done', two), true);
  await finish(app, 'done', two);
  equal(await take(app, 'done', one), false, 'due again after its interval');
  equal(await take(app, 'dead', two), true);
});

test('once a lease expires, its former holder can no longer finish the job', async (t) => {
  const app = await harness(t);
  const dead = holderOf(app);
  const next = holderOf(app);
  equal(await take(app, 'lapsing', dead), true);
  app.clock.shift(LEASE_MS - MINUTE_MS);
  equal(await take(app, 'lapsing', next), false);
  app.clock.shift(2 * MINUTE_MS);
  equal(await take(app, 'lapsing', next), true);
  await finish(app, 'lapsing', dead);
  equal(await take(app, 'lapsing', dead), false, 'the other worker still holds it');
  app.clock.shift(LEASE_MS + MINUTE_MS);
  equal(await take(app, 'lapsing', dead), true, 'its holder never finished it');
  await finish(app, 'lapsing', dead);
  app.clock.shift(EVERY_MS - MINUTE_MS);
  equal(await take(app, 'lapsing', next), false);
});

test('workers that have not been seen for a day are removed', async (t) => {
  const app = await harness(t);
  const { work } = app.testApp.app.worker;
  await work((tx) => updateHeartbeat(tx, holderOf(app)));
  await work((tx) => updateHeartbeat(tx, holderOf(app)));
  const before = await count(app, 'worker_beats');
  ok(before >= 2);
  app.clock.shift(DAY_MS + MINUTE_MS);
  const lasting = holderOf(app);
  await work((tx) => updateHeartbeat(tx, lasting));
  await work((tx) => updateHeartbeat(tx, lasting));
  equal(await count(app, 'worker_beats'), 1);
});

const purgeEnded = ({ testApp }: Harness) =>
  purgeTables(testApp, 'sessions', 'one_time_tokens', 'void_sign_ups');

test('expired sessions and tokens are removed after a month', async (t) => {
  const app = await harness(t);
  const person = await someone(app);
  const open = await signUp(callersOf(app));
  for (let n = 0; n < 3; n += 1) await logIn(callersOf(app), person.email);
  await person.call('DELETE /v1/auth/sessions/current');
  await purgeEnded(app);
  const before = [await count(app, 'sessions'), await count(app, 'one_time_tokens')];

  app.clock.shift(30 * DAY_MS - HOUR_MS);
  const late = await logIn(callersOf(app), person.email);
  await purgeEnded(app);
  equal(await count(app, 'sessions'), (before[0] ?? 0) + 1, 'less than a month has passed');

  app.clock.shift(2 * DAY_MS);
  const fresh = await logIn(callersOf(app), person.email);
  await signUp(callersOf(app), open);
  const token = await mailedToken(app.testApp, open, 'existing_account');
  equal(await count(app, 'void_sign_ups'), 1);
  app.clock.shift(HOUR_MS - MINUTE_MS);
  await Promise.all([purgeEnded(app), purgeEnded(app)]);
  await purgeEnded(app);
  deepEqual([await count(app, 'sessions'), await count(app, 'one_time_tokens')], [2, 1]);
  await fresh.call('GET /v1/auth/me');
  await refused(late.call('GET /v1/auth/me'), 401, 'invalid_session');
  const reset = 'POST /v1/auth/password_resets/consume';
  await app.as.nobody(reset, { token, password: 'another long password' });
  app.clock.shift(2 * MINUTE_MS);
  await purgeEnded(app);
  equal(await count(app, 'void_sign_ups'), 0);
});

test('the purge deletes in batches until nothing is left to remove', async (t) => {
  const ROWS = 2500;
  const app = await harness(t);
  const { userId } = await someone(app);
  await purgeEnded(app);
  const before = await count(app, 'sessions');
  await app.testApp.db.once(
    {
      role: 'kr_gate',
      scope: { workspaceId: null, envs: ['live', 'test'] },
      deadline: { remainingMs: () => 10_000 },
    },
    {
      text: `insert into sessions (id, user_id, lookup_hash, display_prefix, created_at,
          last_seen_at, expires_at, absolute_expires_at)
        select gen_random_uuid(), $1, sha256(n::text::bytea), 'krses_', at, at, at, at
        from generate_series(1, $2) n, (select $3::timestamptz as at) old`,
      values: [userId, ROWS, new Date(app.clock.now().getTime() - 31 * DAY_MS)],
    },
  );
  equal(await count(app, 'sessions'), before + ROWS);
  await purgeEnded(app);
  equal(await count(app, 'sessions'), before);
});
