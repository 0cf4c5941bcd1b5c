// Retry contract: a transaction that loses a conflict starts over, up to three times, and takes
// effect only once.
import { deepEqual, equal } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { apiErrorOfStore } from '@keyrail/server/doors/store-faults.ts';
import pg from 'pg';
import { closing, countSeen, foundWorkspace, insertSecretKey, insertTenant } from './rows.ts';
import { asSuperuserOf, onPostgres, opening, openStore, type Store, stateOf } from './store.ts';

const ATTEMPTS_MAX = 3;

let store: Store;
before(async () => {
  store = await openStore();
  // A trigger that fails the given number of times. A sequence counts the failures, because a
  // rollback doesn't reset a sequence.
  await store.beyond(`
    create sequence keyrail.losses;
    create table keyrail.losing (state text, times int);
    grant usage, select on sequence keyrail.losses to public;
    grant select on keyrail.losing to public;
    create function keyrail.lose() returns trigger language plpgsql as $$
    declare
      rule record;
    begin
      select * into rule from keyrail.losing;
      if found and nextval('keyrail.losses') <= rule.times then
        raise exception 'lost' using errcode = rule.state;
      end if;
      return new;
    end $$;
    create trigger lose before insert on keyrail.tenants
      for each row execute function keyrail.lose()`);
});
after(() => store.close());

const lose = (state: string, times: number) =>
  store.beyond(`truncate keyrail.losing; alter sequence keyrail.losses restart;
    insert into keyrail.losing values ('${state}', ${times})`);

function addTenant(workspaceId: string): { done: Promise<unknown>; attempts: () => number } {
  let attempts = 0;
  const done = store.db.transaction(opening('kr_write', { workspaceId }), async (tx) => {
    attempts += 1;
    await tx.run(insertSecretKey('live'));
    await tx.run(insertTenant(randomUUID()));
    return { kind: 'commit', last: [closing(workspaceId)], result: () => null };
  });
  return { done, attempts: () => attempts };
}

const countsOf = async (workspaceId: string): Promise<number[]> => [
  await countSeen(store, 'tenants', { workspaceId }),
  await countSeen(store, 'secret_keys', { workspaceId }),
  await countSeen(store, 'audit_logs', { workspaceId }),
];

for (const [name, state] of [
  ['a serialisation failure', '40001'],
  ['a deadlock', '40P01'],
] as const) {
  test(`${name} is retried, and the change takes effect once`, async () => {
    const workspaceId = await foundWorkspace(store);
    await lose(state, ATTEMPTS_MAX - 1);
    const { done, attempts } = addTenant(workspaceId);
    equal(await stateOf(done), 'none');
    equal(attempts(), ATTEMPTS_MAX);
    deepEqual(await countsOf(workspaceId), [1, 1, 2]);
  });

  test(`if ${name} persists, it is reported as unavailable after three attempts`, async () => {
    const workspaceId = await foundWorkspace(store);
    await lose(state, 1000);
    const { done, attempts } = addTenant(workspaceId);
    const error = await done.catch((thrown: unknown) => thrown);
    equal(apiErrorOfStore(error)?.status, 503);
    equal(attempts(), ATTEMPTS_MAX);
    deepEqual(await countsOf(workspaceId), [0, 0, 1]);
  });
}

test('any other failure is not retried', async () => {
  const workspaceId = await foundWorkspace(store);
  for (const state of ['23505', '22012', '42501', 'P0001', 'KR001']) {
    await lose(state, 1000);
    const { done, attempts } = addTenant(workspaceId);
    equal(await stateOf(done), state);
    equal(attempts(), 1, state);
  }
});

// The embedded store has only one session, so no other session can hold a lock.
const testOnServer = onPostgres ? test : () => {};

testOnServer('two sessions in a deadlock both complete', async (t) => {
  const workspaceId = await foundWorkspace(store);
  const url = store.url ?? '';
  const other = new pg.Client({ connectionString: asSuperuserOf(url) });
  await other.connect();
  t.after(() => other.end());
  // The other session's deadlock timeout is long, so that PostgreSQL aborts ours.
  await other.query("set deadlock_timeout = '20s'; set search_path = keyrail");
  const one = randomUUID();
  const two = randomUUID();
  await store.beyond(`create table keyrail.pair as
    select unnest(array['${one}', '${two}']) as id; grant select, update on keyrail.pair to kr_write`);
  const touch = (id: string) => `update keyrail.pair set id = id where id = '${id}'`;

  await other.query('begin');
  await other.query(touch(two));
  let attempts = 0;
  let crossing: Promise<unknown> = Promise.resolve();
  const ours = store.db.transaction(opening('kr_write', { workspaceId }), async (tx) => {
    attempts += 1;
    // A retry starts only after the other transaction has ended. Otherwise the two could deadlock
    // again.
    await crossing;
    await tx.run({ text: touch(one), values: [] });
    if (attempts === 1) crossing = other.query(touch(one)).then(() => other.query('commit'));
    await tx.run(insertSecretKey('live'));
    await tx.run({ text: touch(two), values: [] });
    return { kind: 'commit', last: [closing(workspaceId)], result: () => 'done' };
  });
  equal(await ours, 'done');
  await crossing;
  equal(attempts, 2);
  deepEqual(await countsOf(workspaceId), [0, 1, 2]);
});
