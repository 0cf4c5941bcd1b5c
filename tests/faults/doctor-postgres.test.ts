// The doctor on a real PostgreSQL in which each thing is broken.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@keyrail/server/base/clock.ts';
import { DAY_MS } from '@keyrail/server/base/duration.ts';
import { createIdMaker } from '@keyrail/server/base/ids.ts';
import { systemRandomBytes } from '@keyrail/server/base/random.ts';
import { Secret } from '@keyrail/server/base/secret.ts';
import { migrate } from '@keyrail/server/db/migrate.ts';
import { openPostgres, withPostgresAdmin } from '@keyrail/server/db/postgres.ts';
import { openWork } from '@keyrail/server/doors/work.ts';
import { rotateSigningKey } from '@keyrail/server/features/signing/rotate-signing-key.ts';
import { listSigningKeys } from '@keyrail/server/features/signing/rows.ts';
import { signingPartsOf } from '@keyrail/server/features/signing/signing-parts.ts';
import { postgresCopyFor } from '@keyrail/testing/database-copies.ts';
import { diagnosed, found, messagesOf, quietSettings, type Settings } from './doctor.ts';

const superuserUrl = process.env.KEYRAIL_TEST_POSTGRES ?? '';
const skip = superuserUrl === '' && 'no PostgreSQL';

type Broken = { settings: Settings; break(text: string, values?: unknown[]): Promise<void> };

/** A migrated database, and statements of its superuser. */
async function database(t: TestContext): Promise<Broken> {
  const { url, admin } = await postgresCopyFor(t, superuserUrl);
  await withPostgresAdmin(url, migrate); // the copy gets roles of its own
  await admin.query('set search_path = keyrail');
  await admin.query('set session_replication_role = replica'); // without triggers
  return {
    settings: { ...(await quietSettings(t)), DATABASE_URL: url },
    break: async (text, values) => void (await admin.query(text, values)),
  };
}

const roleOf = (name: string) => `(select role_of('${name}'))`;

test('a sound database has no errors, and each check says that it is fine', { skip }, async (t) => {
  const { settings } = await database(t);
  const findings = await diagnosed(settings);
  deepEqual(
    findings.filter(({ severity }) => severity === 'error'),
    [],
  );
  for (const check of ['migrations', 'roles', 'clocks', 'signing keys', 'anchors', 'redis']) {
    ok(messagesOf(findings, check, 'ok').length > 0, check);
  }
  equal(found(findings, 'backups', /no backup/).severity, 'warning');
  equal(found(findings, 'worker', /No worker/).severity, 'warning');
  equal(found(findings, 'settings', /REDIS_URL is not set/).severity, 'warning');
});

test('a database that is gone, silent, or opened by a superuser', { skip }, async (t) => {
  const { settings } = await database(t);
  const url = settings.DATABASE_URL ?? '';
  const missing = url.replace(/\/[^/?]+(\?|$)/, '/no_such_database$1');
  const gone = await diagnosed({ ...settings, DATABASE_URL: missing });
  equal(found(gone, 'database', /Cannot connect.*no_such_database/).severity, 'error');

  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.after(() => silent.close());
  const address = silent.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const mute = await diagnosed({
    ...settings,
    DATABASE_URL: `postgres://keyrail:secret-canary@127.0.0.1:${port}/keyrail`,
  });
  equal(found(mute, 'database', /Cannot connect.*timeout/).severity, 'error');
  ok(!JSON.stringify(mute).includes('secret-canary'));

  const above = url.replace('keyrail@', 'postgres@');
  const unsafe = found(await diagnosed({ ...settings, DATABASE_URL: above }), 'roles', /superuser/);
  equal(unsafe.severity, 'error');
  match(unsafe.remedy ?? '', /CREATE ROLE keyrail LOGIN NOINHERIT/);
});

test('a copy that still uses the roles of the original', { skip }, async (t) => {
  const { url } = await postgresCopyFor(t, superuserUrl);
  const findings = await diagnosed({ ...(await quietSettings(t)), DATABASE_URL: url });
  equal(found(findings, 'migrations', /is a copy/).severity, 'warning');
  deepEqual(messagesOf(findings, 'roles', 'error'), []);
});

test('pending, newer and changed migrations', { skip }, async (t) => {
  const { settings, break: harm } = await database(t);
  await harm('delete from migrations where name = (select max(name) from migrations)');
  equal(
    found(await diagnosed(settings), 'migrations', /1 migration is pending: 00/).severity,
    'warning',
  );
  await harm(`insert into migrations values ('9999_future.sql', 'x', app_now())`);
  await harm(`update migrations set hash = 'x' where name = (select min(name) from migrations)`);
  const findings = await diagnosed(settings);
  equal(found(findings, 'migrations', /newer Keyrail: 9999_future\.sql/).severity, 'error');
  equal(found(findings, 'migrations', /were changed.*0001/).severity, 'error');
  await harm('drop schema keyrail cascade');
  equal(found(await diagnosed(settings), 'migrations', /never migrated/).severity, 'warning');
});

test('privileges that were lost, added or given to others, and open tables', {
  skip,
}, async (t) => {
  const { settings, break: harm } = await database(t);
  const inRole = (text: string, role: string) =>
    harm(`do $$ begin execute format('${text}', ${roleOf(role)}); end $$`);
  await inRole('revoke select on mail_outbox from %I', 'kr_worker');
  await inRole('revoke select (seq) on audit_heads from %I', 'kr_worker');
  await inRole('grant delete on audit_logs to %I', 'kr_write');
  await harm('grant select on users to public');
  await harm('alter table tenants no force row level security');
  await harm('alter table projects disable row level security');
  const findings = await diagnosed(settings);
  const { message, remedy } = found(findings, 'roles', /^Privileges are not as expected/);
  for (const what of [
    /kr_worker_\d+ lacks select on mail_outbox/,
    /kr_worker_\d+ lacks select \(seq\) on audit_heads/,
    /kr_write_\d+ has delete on audit_logs, which it does not need/,
    /every role has select on users/,
  ]) {
    match(message, what);
  }
  match(remedy ?? '', /GRANT select \(seq\) ON keyrail\.audit_heads TO kr_worker_\d+/);
  match(remedy ?? '', /REVOKE select ON keyrail\.users FROM PUBLIC/);
  match(found(findings, 'roles', /not forced on projects, tenants/).remedy ?? '', /ALTER TABLE/);
  // What the doctor says is what corrects it.
  for (const statement of (remedy ?? '').replace(/^.*?: /, '').split('; ')) await harm(statement);
  deepEqual(
    messagesOf(await diagnosed(settings), 'roles', 'error').filter((text) =>
      /Privileges/.test(text),
    ),
    [],
  );
});

test('a role that is gone or that the login cannot use', { skip }, async (t) => {
  const { settings, break: harm } = await database(t);
  await harm(`do $$ begin
    execute format('revoke %I from keyrail', role_of('kr_read'));
    execute format('alter role %I rename to renamed_%s', role_of('kr_gate'), role_of('kr_gate'));
  end $$`);
  const { severity, message, remedy } = found(await diagnosed(settings), 'roles', /cannot be used/);
  equal(severity, 'error');
  match(message, /kr_gate_\d+ does not exist, keyrail cannot use kr_read_\d+/);
  match(remedy ?? '', /GRANT kr_read_\d+ TO keyrail/);
});

test('a server that loses changes, cannot write, or has too few connections', {
  skip,
}, async (t) => {
  const { settings, break: harm } = await database(t);
  const name = new URL(settings.DATABASE_URL ?? '').pathname.slice(1);
  await harm(`alter database ${name} set synchronous_commit = off`);
  await harm(`alter database ${name} set default_transaction_read_only = on`);
  const findings = await diagnosed({ ...settings, KEYRAIL_DATABASE_CONNECTIONS: '1000' });
  equal(found(findings, 'database', /synchronous_commit is off/).severity, 'warning');
  equal(found(findings, 'database', /read only/).severity, 'error');
  equal(found(findings, 'database', /may need 1003/).severity, 'error');
});

test('a table that another session holds does not hold up the doctor', { skip }, async (t) => {
  const { settings, break: harm } = await database(t);
  await harm('begin');
  await harm('lock table signing_keys in access exclusive mode');
  const findings = await diagnosed(settings);
  await harm('rollback');
  equal(found(findings, 'signing keys', /could not be checked: .*timeout/).severity, 'error');
  equal(messagesOf(findings, 'anchors', 'ok').length, 1, 'the checks after it are made');
});

test('a database that is nearly as large as it may be', { skip }, async (t) => {
  const { settings } = await database(t);
  const limited = (bytes: string) => diagnosed({ ...settings, KEYRAIL_DATABASE_BYTES_MAX: bytes });
  equal(
    found(await limited('1GiB'), 'disk', /\d % of KEYRAIL_DATABASE_BYTES_MAX\.$/).severity,
    'ok',
  );
  equal(found(await limited('1MiB'), 'disk', /writing stops in steps/).severity, 'error');
});

test('a clock that is a little or far ahead', { skip }, async (t) => {
  const { settings, break: harm } = await database(t);
  for (const [seconds, severity] of [
    [10, 'warning'],
    [-3600, 'error'],
  ] as const) {
    await harm(`create or replace function app_now() returns timestamptz volatile language sql
      return date_trunc('milliseconds', clock_timestamp() + ${seconds} * interval '1 second')`);
    const text = /clocks of this machine and of the database differ by \d+\.\d s/;
    equal(found(await diagnosed(settings), 'clocks', text).severity, severity);
  }
});

test('signing keys: another master key, halves that do not fit, overdue', { skip }, async (t) => {
  const { settings, break: harm } = await database(t);
  const url = settings.DATABASE_URL ?? '';
  const db = openPostgres({ url, clock: systemClock, connectionsMax: 1, onIdleError: () => {} });
  t.after(() => db.close());
  const work = openWork(db, createIdMaker(systemClock, systemRandomBytes));
  const signing = signingPartsOf({
    masterKey: new Secret(settings.KEYRAIL_MASTER_KEY ?? ''),
    randomBytes: systemRandomBytes,
    rotateEveryMs: 30 * DAY_MS,
    publishWaitMs: 0,
  });
  for (const purpose of ['embed_token', 'audit_anchor'] as const) {
    await work((tx) => rotateSigningKey(tx, signing, { purpose, cause: 'first' }));
  }
  const check = async (more: Settings = {}) =>
    (await diagnosed({ ...settings, ...more })).filter(
      (finding) => finding.check === 'signing keys',
    );
  deepEqual(
    (await check()).map(({ message }) => message.replace(/^Key \S+ /, '')),
    ['signs embed tokens.', 'signs audit anchors.'],
  );

  const keys: { kid: string }[] = [{ kid: randomUUID() }];
  const served = { status: 'ok', region: 'local', keys };
  const server = createHttpServer((_, answer) => answer.end(JSON.stringify(served)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const elsewhere = () =>
    diagnosed({ ...settings, KEYRAIL_PUBLIC_URL: `http://127.0.0.1:${port}` });
  equal(found(await elsewhere(), 'public url', /another deployment/).severity, 'error');
  const [own] = await work(listSigningKeys);
  keys.push({ kid: own?.id ?? randomUUID() });
  deepEqual(messagesOf(await elsewhere(), 'public url', 'error'), []);

  const other = await check({ KEYRAIL_MASTER_KEY: Buffer.alloc(32, 6).toString('base64') });
  deepEqual(
    other.map(({ severity, message }) => [severity, /another master key/.test(message)]),
    [
      ['error', true],
      ['error', true],
    ],
  );
  match(other[0]?.remedy ?? '', /KEYRAIL_MASTER_KEY.*signing-keys rotate --now\.$/);
  match(other[1]?.remedy ?? '', /rotate --now --purpose audit_anchor/);

  await harm(`update signing_keys set signs_from = signs_from - interval '32 days'`);
  equal(found(await check(), 'signing keys', /embed tokens signs for 32 days/).severity, 'warning');
  equal((await check({ KEYRAIL_SIGNING_ROTATE_EVERY: '60d' }))[0]?.severity, 'ok');
  await harm(`update signing_keys set public_key = 'x' where purpose = 'embed_token'`);
  equal(found(await check(), 'signing keys', /do not belong together/).severity, 'error');
});

test('late and broken anchors, and a place that fails', { skip }, async (t) => {
  const { settings, break: harm } = await database(t);
  const late = randomUUID();
  const broken = randomUUID();
  const head = `insert into audit_heads (workspace_id, seq, hash, occurred_at, change_id)
    values ($1, 5, repeat('a', 64), app_now() - interval '1 hour', $1)`;
  for (const id of [late, broken]) await harm(head, [id]);
  await harm(
    `insert into audit_anchors values ($1, 1, 6, repeat('b', 64), app_now(), 6, app_now(), $1, '')`,
    [broken],
  );
  await harm(`insert into audit_anchor_places values
    ('x', 'https://worm.example', 0, app_now(), app_now(), null, 'status 500')`);
  const findings = await diagnosed(settings);
  equal(found(findings, 'anchors', new RegExp(`do not continue.*${broken}`)).severity, 'error');
  equal(found(findings, 'anchors', /^1 audit chains moved/).severity, 'warning');
  equal(found(findings, 'anchors', /https:\/\/worm\.example: status 500/).severity, 'warning');
});

test('no worker, mail that waits, and two API processes without Redis', { skip }, async (t) => {
  const { settings, break: harm } = await database(t);
  await harm(
    `insert into mail_outbox (id, kind, recipient, params, created_at, due_at, attempts,
      last_error)
    values ($1, 'invite', 'a@example.com', '{}', app_now() - interval '1 hour', app_now(), 3,
      'connection refused')`,
    [randomUUID()],
  );
  const span = `insert into served_spans values ($1, app_now() - interval '1 minute',
    app_now() + interval '1 minute')`;
  await harm(span, [randomUUID()]);
  const one = await diagnosed(settings);
  deepEqual(messagesOf(one, 'settings', 'error'), []);
  equal(found(one, 'mail', /^1 mails wait.*connection refused/).severity, 'warning');
  await harm(span, [randomUUID()]);
  await harm(`insert into worker_beats values ($1, app_now() + interval '1 minute')`, [
    randomUUID(),
  ]);
  const two = await diagnosed(settings);
  equal(found(two, 'settings', /2 API processes run without Redis/).severity, 'error');
  equal(found(two, 'worker', /A worker is running/).severity, 'ok');
});

test('backups that are late or failed', { skip }, async (t) => {
  const { settings, break: harm } = await database(t);
  await harm(`create table if not exists backup_runs (id uuid primary key, kind text not null,
    backup_id text, started_at timestamptz not null, ended_at timestamptz not null,
    passed boolean not null, reason text, bytes bigint)`);
  await harm(`do $$ begin
    execute format('grant select on backup_runs to %I', role_of('kr_worker')); end $$`);
  const run = (kind: string, hoursAgo: number, reason: string | null) =>
    harm(
      `insert into backup_runs (id, kind, started_at, ended_at, passed, reason)
       values ($1, $2, app_now(), app_now() - $3 * interval '1 hour', $4::text is null, $4)`,
      [randomUUID(), kind, hoursAgo, reason],
    );
  await run('backup', 100, null);
  equal(found(await diagnosed(settings), 'backups', /is 100 hours old/).severity, 'error');
  await run('backup', 2, null);
  equal(found(await diagnosed(settings), 'backups', /is 2 hours old/).severity, 'ok');
  await run('restore_test', 1, 'a chain is broken');
  await run('backup', 1, 'the disk is full');
  const findings = await diagnosed(settings);
  equal(found(findings, 'backups', /restore test failed: a chain is broken/).severity, 'error');
  equal(found(findings, 'backups', /last backup failed: the disk is full/).severity, 'error');
});
