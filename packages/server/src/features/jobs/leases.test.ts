// Scheduled work is done in one place at a time, and any of it may be done twice without harm.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Bench, bench, refused } from '../../../../../tests/bench.ts';
import { callersOf, logIn, mailedToken, signUp, someone } from '../../../../../tests/people.ts';
import { purgeSessions } from '../sessions/purge-sessions.job.ts';
import { lockJob, updateBeat, updateJobDone } from './rows.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const [LEASE_MS, EVERY_MS] = [10 * MINUTE_MS, HOUR_MS];

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

test('of many workers that want a job at once, one gets it', async (t) => {
  const held = await bench(t);
  for (const name of ['first', 'second', 'third']) {
    const taken = await Promise.all(
      Array.from({ length: 20 }, () => take(held, name, holderOf(held))),
    );
    equal(taken.filter(Boolean).length, 1);
  }
});

test('a job that is done is due again after its interval, for whoever comes first', async (t) => {
  const held = await bench(t);
  const [one, two] = [holderOf(held), holderOf(held)];
  equal(await take(held, 'hourly', one), true);
  await finish(held, 'hourly', one);
  equal(await take(held, 'hourly', one), false);
  held.clock.shift(EVERY_MS - MINUTE_MS);
  equal(await take(held, 'hourly', two), false);
  held.clock.shift(2 * MINUTE_MS);
  equal(await take(held, 'hourly', two), true);
  equal(await take(held, 'hourly', one), false);
});

test('a clock that was ahead and was set back keeps no job from being done', async (t) => {
  const held = await bench(t);
  const [one, two] = [holderOf(held), holderOf(held)];
  held.clock.shift(300 * DAY_MS);
  equal(await take(held, 'done', one), true);
  await finish(held, 'done', one);
  equal(await take(held, 'dead', one), true);
  held.clock.shift(-LEASE_MS / 2);
  equal(await take(held, 'dead', two), false, 'a little: it may still be at work');
  held.clock.shift(-299 * DAY_MS);
  equal(await take(held, 'done', two), true);
  await finish(held, 'done', two);
  equal(await take(held, 'done', one), false, 'due again after its interval');
  equal(await take(held, 'dead', two), true);
});

test('a lease lapses, and its late holder no longer decides', async (t) => {
  const held = await bench(t);
  const [dead, next] = [holderOf(held), holderOf(held)];
  equal(await take(held, 'lapsing', dead), true);
  held.clock.shift(LEASE_MS - MINUTE_MS);
  equal(await take(held, 'lapsing', next), false);
  held.clock.shift(2 * MINUTE_MS);
  equal(await take(held, 'lapsing', next), true);
  await finish(held, 'lapsing', dead);
  equal(await take(held, 'lapsing', dead), false, 'it is still the other one’s');
  held.clock.shift(LEASE_MS + MINUTE_MS);
  equal(await take(held, 'lapsing', dead), true, 'and nobody has said that it is done');
  await finish(held, 'lapsing', dead);
  held.clock.shift(EVERY_MS - MINUTE_MS);
  equal(await take(held, 'lapsing', next), false);
});

test('workers that were not seen for a day are forgotten', async (t) => {
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

test('sessions and tokens that ended a month ago are cleared away, live ones stay', async (t) => {
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
  equal(await count(held, 'sessions'), (before[0] ?? 0) + 1, 'a month is not over yet');

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

test('clearing away takes batches, and all of them', async (t) => {
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
