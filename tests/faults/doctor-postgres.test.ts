// The doctor on a real PostgreSQL, where one thing is broken at a time.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { postgresCopyFor } from '@keyrail/testing/database-copies.ts';
import {
  database,
  diagnosed,
  found,
  messagesOf,
  quietSettings,
  skip,
  superuserUrl,
} from './doctor.ts';

const roleOf = (name: string) => `(select role_of('${name}'))`;

test('on a healthy database there are no errors, and each check reports success', {
  skip,
}, async (t) => {
  const { settings } = await database(t);
  const findings = await diagnosed(settings);
  deepEqual(
    // In this cluster, logins can create roles. The doctor reports that as an error, so it is left
    // out.
    findings.filter(
      ({ severity, message }) => severity === 'error' && !/create roles/.test(message),
    ),
    [],
  );
  for (const check of ['migrations', 'roles', 'clocks', 'signing keys', 'anchors', 'redis']) {
    ok(messagesOf(findings, check, 'ok').length > 0, check);
  }
  equal(found(findings, 'backups', /no backups/).severity, 'warning');
  equal(found(findings, 'worker', /No worker/).severity, 'warning');
  equal(found(findings, 'settings', /REDIS_URL isn't set/).severity, 'warning');
});

test('the doctor reports a database that is down, unresponsive, or opened by a superuser', {
  skip,
}, async (t) => {
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

test("the doctor reports a copied database that still uses the original's roles", {
  skip,
}, async (t) => {
  const { url } = await postgresCopyFor(t, superuserUrl);
  const findings = await diagnosed({ ...(await quietSettings(t)), DATABASE_URL: url });
  equal(found(findings, 'migrations', /is a copy/).severity, 'warning');
  deepEqual(messagesOf(findings, 'roles', 'error'), []);
});

test('the doctor reports migrations that are pending, changed, or from a newer or earlier version', {
  skip,
}, async (t) => {
  const { settings, break: harm } = await database(t);
  await harm('delete from migrations where name = (select max(name) from migrations)');
  equal(
    found(await diagnosed(settings), 'migrations', /1 migration is pending: 00/).severity,
    'warning',
  );
  await harm(`insert into migrations values ('9999_future.sql', 'x', app_now())`);
  await harm(`update migrations set hash = 'x' where name = (select min(name) from migrations)`);
  const findings = await diagnosed(settings);
  equal(found(findings, 'migrations', /newer version of Keyrail: 9999/).severity, 'error');
  equal(found(findings, 'migrations', /have been changed.*0001/).severity, 'error');
  await harm('delete from migrations');
  await harm(`insert into migrations values ('0001_reach_and_guards.sql', 'x', app_now())`);
  const earlier = found(await diagnosed(settings), 'migrations', /created by an earlier commit/);
  equal(earlier.severity, 'error');
  match(earlier.remedy ?? '', /keyrail-server backup.*keyrail-server restore/);
  await harm('drop schema keyrail cascade');
  equal(found(await diagnosed(settings), 'migrations', /never been migrated/).severity, 'warning');
});

test('the doctor reports missing and excess privileges, and tables without row level security', {
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
  match(found(findings, 'roles', /isn't forced on projects, tenants/).remedy ?? '', /ALTER TABLE/);
  // The statements in the doctor's remedy fix the problem.
  for (const statement of (remedy ?? '').replace(/^.*?: /, '').split('; ')) await harm(statement);
  deepEqual(
    messagesOf(await diagnosed(settings), 'roles', 'error').filter((text) =>
      /Privileges/.test(text),
    ),
    [],
  );
});

test('the doctor reports a role that is missing or that the login cannot use', {
  skip,
}, async (t) => {
  const { settings, break: harm } = await database(t);
  await harm(`do $$ begin
    execute format('revoke %I from keyrail', role_of('kr_read'));
    execute format('alter role %I rename to renamed_%s', role_of('kr_gate'), role_of('kr_gate'));
  end $$`);
  const { severity, message, remedy } = found(
    await diagnosed(settings),
    'roles',
    /Can't use Keyrail's database roles/,
  );
  equal(severity, 'error');
  match(message, /kr_gate_\d+ does not exist, keyrail cannot use kr_read_\d+/);
  match(remedy ?? '', /GRANT kr_read_\d+ TO keyrail/);
});

test('the doctor reports a server that may lose changes, is read-only, or has too few connections', {
  skip,
}, async (t) => {
  const { settings, break: harm } = await database(t);
  const name = new URL(settings.DATABASE_URL ?? '').pathname.slice(1);
  await harm(`alter database ${name} set synchronous_commit = off`);
  await harm(`alter database ${name} set default_transaction_read_only = on`);
  const findings = await diagnosed({ ...settings, KEYRAIL_DATABASE_CONNECTIONS: '1000' });
  equal(found(findings, 'database', /synchronous_commit is off/).severity, 'warning');
  equal(found(findings, 'database', /read-only/).severity, 'error');
  equal(found(findings, 'database', /may need 1003/).severity, 'error');
});

test('a table locked by another session does not hold up the doctor', { skip }, async (t) => {
  const { settings, break: harm } = await database(t);
  await harm('begin');
  await harm('lock table signing_keys in access exclusive mode');
  const findings = await diagnosed(settings);
  await harm('rollback');
  equal(found(findings, 'signing keys', /Couldn't check this: .*timeout/).severity, 'error');
  equal(messagesOf(findings, 'anchors', 'ok').length, 1, 'the checks after it are run');
});

test('the doctor reports a database that has nearly reached its maximum size', {
  skip,
}, async (t) => {
  const { settings } = await database(t);
  const limited = (bytes: string) => diagnosed({ ...settings, KEYRAIL_DATABASE_BYTES_MAX: bytes });
  equal(
    found(await limited('1GiB'), 'disk', /\d % of KEYRAIL_DATABASE_BYTES_MAX\.$/).severity,
    'ok',
  );
  equal(found(await limited('1MiB'), 'disk', /Writes will be restricted/).severity, 'error');
});

test('the doctor reports a clock that is slightly or far ahead', { skip }, async (t) => {
  const { settings, break: harm } = await database(t);
  for (const [seconds, severity] of [
    [10, 'warning'],
    [-3600, 'error'],
  ] as const) {
    await harm(`create or replace function app_now() returns timestamptz volatile language sql
      return date_trunc('milliseconds', clock_timestamp() + ${seconds} * interval '1 second')`);
    const text = /clocks of this machine and the database differ by \d+\.\d s/;
    equal(found(await diagnosed(settings), 'clocks', text).severity, severity);
  }
});
