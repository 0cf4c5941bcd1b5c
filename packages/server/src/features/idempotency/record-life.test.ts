// A record's lifetime: when it expires, what remains afterwards, and when it is purged.

import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import {
  claim,
  complete,
  executing,
  heartbeat,
  LOCK_MS,
  release,
  TTL_MS,
} from '@keyrail/testing/idempotency.ts';
import { purgeTables } from '@keyrail/testing/purge.ts';
import { newScope } from '../../../../../tests/laws/hot-fixtures.ts';
import type { Opening } from '../../db/database.ts';

const LONG_MS = 600_000;
const WAIT_MS_MAX = 60_000;

async function recordsOf({ testApp, workspaceId }: Harness): Promise<number> {
  const text = `select count(*)::int as count from idempotency_records where workspace_id = $1`;
  const ask = { text, values: [workspaceId] };
  const { rows } = await testApp.app.worker.work((tx) => tx.run(ask));
  return Number(rows[0]?.count);
}

const recordDoor = ({ workspaceId }: Harness): Opening => ({
  role: 'kr_record',
  scope: { workspaceId, envs: ['live', 'test'] },
  deadline: { remainingMs: () => 10_000 },
});

test('a scope whose record has expired can be claimed again, and nothing remains of the old record', async (t) => {
  const app = await harness(t);
  const { as, clock } = app;
  const { request, lock } = await executing(app);
  await as.liveKey(complete, { ...lock, status: 201, body: 'b2xk', ttl_ms: TTL_MS });
  clock.shift(TTL_MS + 1000);
  const other = { ...request, fingerprint: newScope() };
  const second = await as.liveKey(claim, other);
  deepEqual([second.state, second.stolen], ['execute', false]);
  equal((await as.liveKey(claim, other)).state, 'in_progress', 'the old response is gone');
  equal((await as.liveKey(claim, request)).state, 'mismatch', 'the old fingerprint is gone');
  const done = { ...lock, lock_token: second.lock_token, status: 204 };
  equal((await as.liveKey(complete, done)).outcome, 'ok');
  deepEqual((await as.liveKey(claim, other)).response, {
    status: 204,
    headers: {},
    body: null,
    body_stored: false,
  });
});

test('when a record expires, the claim is lost, even if no one else has claimed the scope', async (t) => {
  const app = await harness(t);
  const { as, clock } = app;
  const { request, lock } = await executing(app);
  clock.shift(TTL_MS + 1000);
  for (const line of [heartbeat, release, complete] as const) {
    const more = line === complete ? { status: 200 } : {};
    equal((await as.liveKey(line, { ...lock, ...more })).outcome, 'lost', line);
  }
  equal((await as.liveKey(claim, request)).stolen, false);
});

test('the call that completes a claim determines how long the response is kept', async (t) => {
  const app = await harness(t);
  const { as, clock } = app;
  const long = await executing(app, TTL_MS);
  const short = await executing(app, LONG_MS);
  await as.liveKey(complete, { ...long.lock, status: 200, ttl_ms: LONG_MS });
  await as.liveKey(complete, { ...short.lock, status: 200, ttl_ms: TTL_MS });
  clock.shift(TTL_MS + 1000);
  equal((await as.liveKey(claim, long.request)).state, 'replay');
  equal((await as.liveKey(claim, short.request)).state, 'execute');
});

test('a heartbeat never makes a record expire sooner', async (t) => {
  const app = await harness(t);
  const { as, clock } = app;
  const { request, lock } = await executing(app, LONG_MS);
  equal((await as.liveKey(heartbeat, lock)).outcome, 'ok');
  clock.shift(LOCK_MS + 1000);
  equal((await as.liveKey(claim, { ...request, fingerprint: newScope() })).state, 'mismatch');
  equal((await as.liveKey(claim, request)).stolen, true);
});

test('the purge removes all expired records and keeps the others', async (t) => {
  const ROWS = 2500;
  const app = await harness(t);
  const { clock, testApp } = app;
  await testApp.db.once(recordDoor(app), {
    text: `insert into idempotency_records
        (env, scope_hash, fingerprint, locked_until, expires_at)
      select 'test', sha256(n::text::bytea), sha256('a'), at, at
      from generate_series(1, $1) n, (select $2::timestamptz as at) old`,
    values: [ROWS, clock.now()],
  });
  await executing(app, LONG_MS);
  equal(await recordsOf(app), ROWS + 1);
  clock.shift(1000);
  await purgeTables(testApp, 'idempotency_records');
  equal(await recordsOf(app), 1);
});

/** Resolves once a transaction is waiting for a lock. */
async function someoneWaits({ testApp }: Harness): Promise<void> {
  const text = `select from pg_locks join pg_stat_activity using (pid)
    where not granted and datname = current_database()`;
  const deadline = performance.now() + WAIT_MS_MAX;
  for (;;) {
    const { count } = await testApp.app.worker.work((tx) => tx.run({ text, values: [] }));
    if (count > 0) return;
    ok(performance.now() < deadline, 'no transaction is waiting for a lock');
    await sleep(5);
  }
}

test('the purge keeps a record that is claimed while it runs', async (t) => {
  const app = await harness(t);
  const { clock, testApp } = app;
  const { request } = await executing(app);
  clock.shift(TTL_MS + 1000);
  const claimed = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const claiming = testApp.db.transaction(recordDoor(app), async ({ run }) => {
    const bytes = (hex: string) => Buffer.from(hex, 'hex');
    const { rows } = await run({
      text: 'select state from claim_idempotency($1, $2, $3, $4, $5, $6)',
      values: [
        'live',
        bytes(request.scope_hash),
        bytes(request.fingerprint),
        'a-token',
        LOCK_MS,
        TTL_MS,
      ],
    });
    claimed.resolve();
    await open.promise;
    return { kind: 'commit', last: [], result: () => rows[0]?.state };
  });
  await claimed.promise;
  const purging = purgeTables(testApp, 'idempotency_records');
  // The embedded store has only one connection, so on that store the purge cannot start until the
  // claim is committed.
  if (testApp.db.kind === 'postgres') await someoneWaits(app);
  open.resolve();
  equal(await claiming, 'execute');
  await purging;
  equal((await app.as.liveKey(claim, request)).state, 'in_progress');
});
