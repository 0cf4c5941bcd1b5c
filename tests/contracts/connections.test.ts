// Connection contract: the next user of a connection always gets it in a clean state, and no caller
// receives another caller's result.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { deadlineAfter, steppedDeadline } from '@keyrail/server/base/deadline.ts';
import type { Opening, Statement } from '@keyrail/server/db/database.ts';
import { isStoreFault } from '@keyrail/server/db/faults.ts';
import { closing, countSeen, foundWorkspace, insertSecretKey } from './rows.ts';
import { onPostgres, opening, openStore, type Store, stateOf } from './store.ts';

// The pool has only one connection, so all statements in this file run on the same connection.
let store: Store;
before(async () => {
  store = await openStore({ connections: 1 });
});
after(() => store.close());

const plain = (text: string): Statement => ({ text, values: [] });

const within = (ms: number, over: Opening = opening('kr_read')): Opening => ({
  ...over,
  deadline: deadlineAfter(ms),
});

const ask = async (text: string): Promise<unknown> =>
  (await store.db.once(opening('kr_read'), plain(text))).rows;

test('a failed statement leaves the connection usable', async () => {
  for (const text of ['select 1 / (select 0)', 'select nonsense', 'select from nowhere', '(']) {
    ok(/^\w{5}$/.test(await stateOf(ask(text))), text);
    deepEqual(await ask('select 7 as seven'), [{ seven: 7 }]);
  }
});

test('a transaction that fails to begin leaves the connection usable', async (t) => {
  t.after(() => store.clock.moveTo(0));
  store.clock.moveTo(Number.NaN);
  const opened = store.db.transaction(opening('kr_read'), async () => {
    throw new Error('a transaction without a clock was opened');
  });
  equal(await stateOf(opened), '22P02');
  equal(await stateOf(ask('select app_now()')), '22P02');
  store.clock.moveTo(0);
  const asNobody = store.db.once(opening('kr_nobody' as 'kr_read'), plain('select 1'));
  equal(await stateOf(asNobody), '22023');
  deepEqual(await ask('select 7 as seven'), [{ seven: 7 }]);
});

test('a transaction cannot commit after one of its statements failed, even if the caller ignores the error', async () => {
  const workspaceId = await foundWorkspace(store);
  const swallowing = store.db.transaction(opening('kr_write', { workspaceId }), async (tx) => {
    await tx.run(insertSecretKey('live'));
    await tx.run(plain('select 1 / (select 0)')).catch(() => {});
    return { kind: 'commit', last: [], result: () => 'committed' };
  });
  await rejects(swallowing, /rolled back instead of committed/);
  equal(await countSeen(store, 'secret_keys', { workspaceId }), 0);
});

test('if the last statement fails, the whole transaction is rolled back', async () => {
  const workspaceId = await foundWorkspace(store);
  const failing = store.db.transaction(opening('kr_write', { workspaceId }), async (tx) => {
    await tx.run(insertSecretKey('live'));
    const last = [closing(workspaceId), plain('select 1 / (select 0)')];
    return { kind: 'commit', last, result: () => 'committed' };
  });
  equal(await stateOf(failing), '22012');
  equal(await countSeen(store, 'secret_keys', { workspaceId }), 0);
  equal(await countSeen(store, 'audit_logs', { workspaceId }), 1);
});

test('a statement that failed to parse works once the missing table exists', async () => {
  const text = 'select word from late_words';
  equal(await stateOf(ask(text)), '42P01');
  equal(await stateOf(ask(text)), '42P01');
  await store.beyond(`create table keyrail.late_words as select 'here' as word;
    grant select on keyrail.late_words to kr_read`);
  deepEqual(await ask(text), [{ word: 'here' }]);
  deepEqual(await ask(text), [{ word: 'here' }]);
});

test('a statement prepared in a failed transaction works afterwards', async () => {
  const text = 'select 11 as eleven';
  const failing = store.db.transaction(opening('kr_read'), async (tx) => {
    await tx.run(plain(text));
    throw new Error('rollback');
  });
  await rejects(failing, /rollback/);
  deepEqual(await ask(text), [{ eleven: 11 }]);
});

test('adding a column to a table does not break prepared statements', async () => {
  await store.beyond(`create table keyrail.growing as select 1 as first;
    grant select on keyrail.growing to kr_read`);
  const text = 'select * from growing';
  deepEqual(await ask(text), [{ first: 1 }]);
  await store.beyond('alter table keyrail.growing add column second int');
  deepEqual(await ask(text), [{ first: 1, second: null }]);
  const read = store.db.transaction(opening('kr_read'), async (tx) => {
    await tx.run(plain('select 1'));
    return { kind: 'rollback', result: (await tx.run(plain(text))).rows };
  });
  deepEqual(await read, [{ first: 1, second: null }]);
});

test('a value that cannot be encoded fails only its own statement', async () => {
  const unsendable = { text: 'select $1::timestamptz', values: [new Date(Number.NaN)] };
  await rejects(store.db.once(opening('kr_read'), unsendable), RangeError);
  deepEqual(await ask('select 7 as seven'), [{ seven: 7 }]);
});

test('an expired deadline is reported as a store fault immediately', async () => {
  const late = store.db.once(within(0), plain('select 1'));
  await rejects(late, isStoreFault);
  await rejects(store.db.ping(deadlineAfter(-1)), isStoreFault);
  deepEqual(await ask('select 7 as seven'), [{ seven: 7 }]);
});

test('a timed-out transaction leaves nothing behind for the next one', async () => {
  const workspaceId = await foundWorkspace(store);
  const scope = { workspaceId };
  const late = store.db.transaction(within(150, opening('kr_write', scope)), async (tx) => {
    await tx.run(insertSecretKey('live'));
    await sleep(200);
    await tx.run(insertSecretKey('live'));
    return { kind: 'rollback', result: null };
  });
  await rejects(late, isStoreFault);

  const seen = await store.db.transaction(opening('kr_write', scope), async (tx) => {
    const counted = await tx.run(plain('select count(*)::int as n from secret_keys'));
    return { kind: 'commit', last: [closing(workspaceId)], result: () => counted.rows[0]?.n };
  });
  equal(seen, 0);
  equal(await countSeen(store, 'secret_keys', scope), 0);
});

test('a statement sent after one that timed out gets its own result', async () => {
  // On PostgreSQL, the statement sleeps. The embedded store can't sleep, so it counts many rows.
  const slow = onPostgres
    ? "select 'slow' as answer, pg_sleep(0.5)"
    : "select 'slow' as answer, count(*) from generate_series(1, 300000)";
  const late = store.db
    .once(within(50), plain(slow))
    .then(({ rows }) => rows[0]?.answer === 'slow', isStoreFault);
  const wanted = Array.from({ length: 20 }, (_, at) => at);
  const others = wanted.map(async (at) => {
    const { rows } = await store.db.once(opening('kr_read'), plain(`select ${at} as answer`));
    return rows[0]?.answer;
  });
  deepEqual(await Promise.all(others), wanted);
  equal(await late, true);
});

test('a connection to a server that has become read-only is not reused', {
  skip: onPostgres ? false : 'the embedded store has one connection, and it is writable',
}, async () => {
  const workspaceId = await foundWorkspace(store);
  const write = () =>
    store.db.transaction(opening('kr_write', { workspaceId }), async (tx) => {
      await tx.run(insertSecretKey('live'));
      return { kind: 'commit', last: [closing(workspaceId)], result: () => 'written' };
    });
  await ask(`select set_config('default_transaction_read_only', 'on', false)`);
  await rejects(write(), isStoreFault);
  equal(await write(), 'written');
});

test('a released connection has no role and no scope', async (t) => {
  const { db, idle, close } = store.bare();
  t.after(close);
  const scope = { workspaceId: randomUUID(), tenantId: randomUUID(), projectId: randomUUID() };
  await db.once(opening('kr_gate', scope), plain('select 1'));
  await db.transaction(opening('kr_write', scope), async () => ({
    kind: 'commit',
    last: [],
    result: () => null,
  }));
  await stateOf(db.once(opening('kr_write', scope), plain('select 1 / (select 0)')));
  const settings = ['workspace', 'envs', 'tenant', 'project', 'change'];
  const left = settings.map((name) => `current_setting('kr.${name}', true) as ${name}`);
  deepEqual(await idle(`select current_user = session_user as bare, ${left}`), [
    { bare: true, ...Object.fromEntries(settings.map((name) => [name, ''])) },
  ]);
});

test('a caller that limits the wait for each step gives up after one step without a response', async () => {
  const end = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const holding = store.db.transaction(opening('kr_read'), async () => {
    begun.resolve();
    await end.promise;
    return { kind: 'rollback', result: null };
  });
  await begun.promise;
  const began = performance.now();
  const stepped = { ...opening('kr_read'), deadline: steppedDeadline(300, 10_000) };
  await rejects(store.db.once(stepped, plain('select 1')), isStoreFault);
  const ms = performance.now() - began;
  end.resolve();
  await holding;
  ok(ms < 10_000, `it waited ${ms} ms`);
});
