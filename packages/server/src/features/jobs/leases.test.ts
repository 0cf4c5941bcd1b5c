// A scheduled job runs on one worker at a time, and every job is safe to run twice.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Bench, bench, refused } from '../../../../../tests/bench.ts';
import { callersOf, logIn, mailedToken, signUp, someone } from '../../../../../tests/people.ts';
import { purgeSessions } from '../sessions/purge-sessions.job.ts';
import { lockJob, updateBeat, updateJobDone } from './rows.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const LEASE_MS = 10 * MINUTE_MS;
const EVERY_MS = HOUR_MS;

const holderOf = ({ world }: Bench) => world.app.worker.newId();

const take = ({ world }: Bench, name: string, holder: string): Promise<boolean> =>
  world.app.worker.work((tx) =>
    lockJob(tx, { name, holder, leaseMs: LEASE_MS, everyMs: EVERY_MS }),
  );

const finish = ({ world }: Bench, name: string, holder: string): Promise<void> =>
  world.app.worker.work((tx) => updateJobDone(tx, { name, holder, everyMs: EVERY_MS }));

async function count({ world }: Bench, table: string): Promise<number> {
  const text = `select count(*)::int as count from ${table}`;
  const { rows } = await world.app.worker.work((tx) => tx.run({ text, values: [] }));
  return Number(rows[0]?.count);
}

test('of many workers that ask for a job at the same time, one gets it', async (t) => {
  const held = await bench(t);
  for (const name of ['first', 'second', 'third']) {
    const taken = await Promise.all(
      Array.from({ length: 20 }, () => take(held, name, holderOf(held))),
    );
    equal(taken.filter(Boolean).length, 1);
  }
});

test('a finished job is due again after its interval, for any worker', async (t) => {
  const held = await bench(t);
  const one = holderOf(held);
  const two = holderOf(held);
  equal(await take(held, 'hourly', one), true);
  await finish(held, 'hourly', one);
  equal(await take(held, 'hourly', one), false);
  held.clock.shift(EVERY_MS - MINUTE_MS);
  equal(await take(held, 'hourly', two), false);
  held.clock.shift(2 * MINUTE_MS);
  equal(await take(held, 'hourly', two), true);
  equal(await take(held, 'hourly', one), false);
});

test('jobs still run after a clock that was ahead is set back', async (t) => {
  const held = await bench(t);
  const one = holderOf(held);
  const two = holderOf(held);
  held.clock.shift(300 * DAY_MS);
  equal(await take(held, 'done', one), true);
  await finish(held, 'done', one);
  equal(await take(held, 'dead', one), true);
  held.clock.shift(-LEASE_MS / 2);
  equal(
    await take(held, 'dead', two),
    false,
    'set back by less than a lease: the holder may still be working',
  );
  held.clock.shift(-299 * DAY_MS);
  equal(await take(held, 'done', two), true);
  await finish(held, 'done', two);
  equal(await take(held, 'done', one), false, 'due again after its interval');
  equal(await take(held, 'dead', two), true);
});

test('a lease expires, and its former holder can no longer finish the job', async (t) => {
  const held = await bench(t);
  const dead = holderOf(held);
  const next = holderOf(held);
  equal(await take(held, 'lapsing', dead), true);
  held.clock.shift(LEASE_MS - MINUTE_MS);
  equal(await take(held, 'lapsing', next), false);
  held.clock.shift(2 * MINUTE_MS);
  equal(await take(held, 'lapsing', next), true);
  await finish(held, 'lapsing', dead);
  equal(await take(held, 'lapsing', dead), false, 'the other worker still holds it');
  held.clock.shift(LEASE_MS + MINUTE_MS);
  equal(await take(held, 'lapsing', dead), true, 'its holder never finished it');
  await finish(held, 'lapsing', dead);
  held.clock.shift(EVERY_MS - MINUTE_MS);
  equal(await take(held, 'lapsing', next), false);
});

test('workers that were not seen for a day are removed', async (t) => {
  const held = await bench(t);
  const { work } = held.world.app.worker;
  await work((tx) => updateBeat(tx, holderOf(held)));
  await work((tx) => updateBeat(tx, holderOf(held)));
  const before = await count(held, 'worker_beats');
  ok(before >= 2);
  held.clock.shift(DAY_MS + MINUTE_MS);
  const lasting = holderOf(held);
  await work((tx) => updateBeat(tx, lasting));
  await work((tx) => updateBeat(tx, lasting));
  equal(await count(held, 'worker_beats'), 1);
});

test('sessions and tokens are removed a month after their end', async (t) => {
  const held = await bench(t);
  const { work } = held.world.app.worker;
  const person = await someone(held);
  const open = await signUp(callersOf(held));
  for (let n = 0; n < 3; n += 1) await logIn(callersOf(held), person.email);
  await person.call('DELETE /v1/auth/sessions/current');
  await purgeSessions(work);
  const before = [await count(held, 'sessions'), await count(held, 'one_time_tokens')];

  held.clock.shift(30 * DAY_MS - HOUR_MS);
  const late = await logIn(callersOf(held), person.email);
  await purgeSessions(work);
  equal(await count(held, 'sessions'), (before[0] ?? 0) + 1, 'less than a month has passed');

  held.clock.shift(2 * DAY_MS);
  const fresh = await logIn(callersOf(held), person.email);
  await signUp(callersOf(held), open);
  const token = await mailedToken(held.world, open, 'existing_account');
  equal(await count(held, 'void_sign_ups'), 1);
  held.clock.shift(HOUR_MS - MINUTE_MS);
  await Promise.all([purgeSessions(work), purgeSessions(work)]);
  await purgeSessions(work);
  deepEqual([await count(held, 'sessions'), await count(held, 'one_time_tokens')], [2, 1]);
  await fresh.call('GET /v1/auth/me');
  await refused(late.call('GET /v1/auth/me'), 401, 'invalid_session');
  const reset = 'POST /v1/auth/password_resets/consume';
  await held.as.nobody(reset, { token, password: 'another long password' });
  held.clock.shift(2 * MINUTE_MS);
  await purgeSessions(work);
  equal(await count(held, 'void_sign_ups'), 0);
});

test('the purge works in batches until nothing is left to remove', async (t) => {
  const ROWS = 2500;
  const held = await bench(t);
  const { work } = held.world.app.worker;
  const { userId } = await someone(held);
  await purgeSessions(work);
  const before = await count(held, 'sessions');
  await held.world.db.once(
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
      values: [userId, ROWS, new Date(held.clock.now().getTime() - 31 * DAY_MS)],
    },
  );
  equal(await count(held, 'sessions'), before + ROWS);
  await purgeSessions(work);
  equal(await count(held, 'sessions'), before);
});
