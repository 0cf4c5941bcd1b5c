// With `dry_run=true`, an endpoint rejects every request that it would also reject without. If it
// accepts the request, it writes nothing, locks nothing and sends nothing, according to the
// database's own record of what each transaction did.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import { deadlineAfter } from '@keyrail/server/base/deadline.ts';
import type { Database, Statement } from '@keyrail/server/db/database.ts';
import { allEnvs } from '@keyrail/server/doors/reach.ts';
import { type Answer, ask, type Harness, harness, type Input } from '@keyrail/testing/harness.ts';
import { quarantine } from '@keyrail/testing/operations.ts';
import { appBeside, type Beside, type Sent, traced } from '@keyrail/testing/second-app.ts';
import { anyIds, endpointOf, fixtureOf, served } from './lines.ts';

const dryRunLines = served.filter((line) => endpointOf(line).dryRun);

/** What a transaction did, according to the database's own counters. */
type Done = { role: string; written: number; xid: string | null; locks: string[] };

const DONE: Statement = {
  text: `select
    (select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) from pg_stat_xact_all_tables)::int
      as written,
    pg_current_xact_id_if_assigned()::text as xid,
    array(select distinct locktype || ' ' || mode from pg_locks
      where pid = pg_backend_pid() order by 1) as locks`,
  values: [],
};

/**
 * Reads the counters when each transaction begins and ends, because some counters include earlier
 * transactions.
 */
function observed(db: Database, noted: Done[]): Database {
  return {
    ...db,
    transaction: (opening, body) =>
      db.transaction(opening, async (tx) => {
        const [first = {}] = (await tx.run(DONE)).rows;
        const ending = await body(tx);
        const [{ written, xid, locks } = {}] = (await tx.run(DONE)).rows;
        noted.push({
          role: opening.role,
          written: Number(written) - Number(first.written),
          xid: xid === null ? null : String(xid),
          locks: Array.isArray(locks) ? locks.map(String) : [],
        });
        return ending;
      }),
  };
}

type Watch = { app: Beside; done: Done[]; sent(): Sent[] };

function watch(t: Parameters<typeof appBeside>[0], { testApp }: Harness): Watch {
  const done: Done[] = [];
  const { db, take } = traced(observed(testApp.db, done));
  return { app: appBeside(t, testApp, { db }), done, sent: take };
}

const readIn = ({ testApp, workspaceId }: Harness, text: string) =>
  testApp.db.once(
    {
      role: 'kr_read',
      scope: { workspaceId, envs: allEnvs },
      deadline: deadlineAfter(30_000),
    },
    { text, values: [] },
  );

/**
 * Tables that change even during a dry run: every request records that its credential was used, and
 * every process records that it is serving.
 */
const WRITTEN_MEANWHILE: ReadonlySet<string> = new Set(['secret_key_uses', 'served_spans']);

/**
 * Each row's position and transaction IDs, which reveal changes, locks and rolled-back changes.
 */
async function rowsOf(app: Harness): Promise<Record<string, unknown>> {
  const tables = await readIn(
    app,
    `select relname as name from pg_class where relkind = 'r'
      and relnamespace = 'keyrail'::regnamespace and has_table_privilege(oid, 'select')`,
  );
  const names = tables.rows.map(({ name }) => String(name));
  ok(names.includes('api_keys') && names.includes('audit_logs'), names.join());
  const digests: Record<string, unknown> = {};
  for (const name of names.filter((each) => !WRITTEN_MEANWHILE.has(each))) {
    const { rows } = await readIn(
      app,
      `select count(*)::int as rows, md5(coalesce(string_agg(
        concat(ctid, ' ', xmin, ' ', xmax), ',' order by ctid), '')) as digest from ${name}`,
    );
    digests[name] = rows[0];
  }
  return digests;
}

const locksLeft = async (app: Harness): Promise<unknown> =>
  (
    await readIn(
      app,
      `select l.locktype, l.mode from pg_locks l join pg_stat_activity a on a.pid = l.pid
        where a.datname = current_database() and a.backend_type = 'client backend'
          and l.pid <> pg_backend_pid()`,
    )
  ).rows;

const HARMLESS_LOCK = /^(relation AccessShareLock|virtualxid ExclusiveLock)$/;
const NOT_A_READ =
  /\b(insert|update|delete|pg_notify|close_change|advisory|for (no key )?(update|share))\b/i;

const callerOf = async (app: Harness, line: AnyLine) => ({
  authorization: `Bearer ${
    fixtureOf(line).caller === 'owner' ? (await app.people.owner()).token : app.tokens.liveKey
  }`,
});

test('every endpoint that revokes, deletes or restricts something accepts a dry run', () => {
  deepEqual(dryRunLines.toSorted(), [
    'DELETE /v1/members/{userId}',
    'DELETE /v1/projects/{id}',
    'DELETE /v1/tenants/{id}',
    'PATCH /v1/keys/{id}',
    'PATCH /v1/projects/{id}',
    'PATCH /v1/secret_keys/{id}',
    'POST /v1/keys/{id}/disable',
    'POST /v1/keys/{id}/revoke',
    'POST /v1/keys/{id}/rotate',
    'POST /v1/secret_keys/{id}/revoke',
    'POST /v1/secret_keys/{id}/rotate',
  ]);
});

for (const line of dryRunLines) {
  test(`${line} writes, locks and sends nothing in a dry run`, async (t) => {
    const held = await harness(t);
    const { app, done, sent } = watch(t, held);
    const headers = await callerOf(held, line);
    const input = await fixtureOf(line).input(held);
    // Makes a first request, so that the record of the credential's use isn't written during the
    // dry run.
    await ask(app, line, { input: { ...anyIds(line), dry_run: true }, headers });
    const before = await rowsOf(held);
    done.length = 0;
    sent();

    const foreseen = await ask(app, line, { input: { ...input, dry_run: true }, headers });
    equal(`${foreseen.status} ${foreseen.body.object}`, '200 impact', foreseen.text);
    equal(foreseen.body.action, fixtureOf(line).audits[0]);
    equal(done.length, 1);
    deepEqual(
      done.map(({ role, written, xid }) => ({ role, written, xid })),
      [{ role: 'kr_read', written: 0, xid: null }],
    );
    for (const lock of done.flatMap(({ locks }) => locks)) match(lock, HARMLESS_LOCK);
    for (const { text } of sent()) ok(!NOT_A_READ.test(text), text);
    deepEqual(await rowsOf(held), before);
    deepEqual(await locksLeft(held), []);

    // Without dry_run, the same call succeeds, and the database reports that it writes.
    done.length = 0;
    const real = await ask(app, line, { input, headers });
    equal(real.status, 200, real.text);
    ok(done.some(({ role, written, xid }) => role === 'kr_write' && written > 0 && xid !== null));
    ok(sent().some(({ text }) => NOT_A_READ.test(text)));
  });
}

const errorOf = ({ status, body }: Answer): unknown => ({ status, error: body.error });

/** Asserts that a call is rejected the same way with and without dry_run; returns its status. */
async function refusedAlike(
  { ask: call }: Harness,
  line: AnyLine,
  { input, headers }: { input: Input; headers: Record<string, string> },
): Promise<number> {
  const dry = await call(line, { ...input, dry_run: true }, headers);
  const real = await call(line, input, headers);
  deepEqual(errorOf(dry), errorOf(real), `${line} ${JSON.stringify(input)}`);
  ok(real.status >= 400, `${line} was not rejected: ${real.text}`);
  return real.status;
}

test('a dry run is rejected exactly when the real call is', async (t) => {
  const app = await harness(t);
  const other = await harness(t);
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  for (const line of dryRunLines) {
    const headers = await callerOf(app, line);
    const own = await fixtureOf(line).input(app);
    const theirs = await fixtureOf(line).input(other);
    const beyond = (await fixtureOf(line).beyond?.(app)) ?? own;
    const seen = [
      await refusedAlike(app, line, { input: own, headers: {} }),
      await refusedAlike(app, line, { input: anyIds(line), headers }),
      await refusedAlike(app, line, { input: theirs, headers }),
      await refusedAlike(app, line, { input: { ...own, id: 'x', userId: 'x' }, headers }),
      await refusedAlike(app, line, { input: beyond, headers: bearer(app.tokens.testKey) }),
      await refusedAlike(app, line, {
        input: own,
        headers: bearer((await app.people.member()).token),
      }),
    ];
    deepEqual(seen, [401, 404, 404, 400, 403, 403], line);
    if (endpointOf(line).body === undefined) continue;
    equal(await refusedAlike(app, line, { input: { ...own, unknown: 1 }, headers }), 400);
  }
});

test("a conflict with the target's state gets the same error in a dry run", async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const key = async (end?: 'revoke' | 'disable'): Promise<string> => {
    const { id } = await given.key();
    if (end) await as.liveKey(`POST /v1/keys/{id}/${end}`, { id });
    return id;
  };
  const soon = { expires_at: new Date(app.clock.now().getTime() + 1000).toISOString() };
  const expired = await given.key(soon);
  const { id: leaked } = await given.key();
  await quarantine(app, leaked);
  const secret = await as.liveKey('POST /v1/secret_keys', { env: 'live' });
  await as.liveKey('POST /v1/secret_keys/{id}/revoke', { id: secret.id });
  const { userId } = await app.people.owner();
  app.clock.shift(2000);
  const conflicts: [AnyLine, Input][] = [
    ['PATCH /v1/keys/{id}', { id: await key('revoke'), name: 'x' }],
    ['PATCH /v1/keys/{id}', { id: leaked, expires_at: null }],
    ['POST /v1/keys/{id}/rotate', { id: await key('revoke') }],
    ['POST /v1/keys/{id}/rotate', { id: await key('disable') }],
    ['POST /v1/keys/{id}/rotate', { id: expired.id }],
    ['POST /v1/keys/{id}/disable', { id: await key('revoke') }],
    ['POST /v1/secret_keys/{id}/rotate', { id: secret.id }],
    ['DELETE /v1/members/{userId}', { userId }],
  ];
  const headers = { authorization: `Bearer ${app.tokens.liveKey}` };
  for (const [line, input] of conflicts) {
    equal(await refusedAlike(app, line, { input, headers }), 409, line);
  }
});

test('an unknown value of dry_run is rejected, and false is the same as leaving it out', async (t) => {
  const app = await harness(t);
  const { id } = await app.given.key();
  const headers = { authorization: `Bearer ${app.tokens.liveKey}` };
  for (const dry_run of ['yes', '', '1', 'TRUE']) {
    equal((await app.ask('POST /v1/keys/{id}/revoke', { id, dry_run }, headers)).status, 400);
  }
  equal((await app.as.liveKey('GET /v1/keys/{id}', { id })).revoked_at, null);
  const revoked = await app.as.liveKey('POST /v1/keys/{id}/revoke', { id, dry_run: false });
  ok(revoked.revoked_at);
});
