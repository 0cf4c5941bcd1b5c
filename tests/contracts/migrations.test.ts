// Migration contract: migrations bring any database to the current version, and each runs exactly
// once.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { migratePostgres } from '@keyrail/server/commands/stores.ts';
import { UnsafeLoginRole } from '@keyrail/server/db/login-role.ts';
import { readMigrations } from '@keyrail/server/db/migrate.ts';
import { allRoles } from '@keyrail/server/db/roles.ts';
import { until } from '@keyrail/testing/until.ts';
import pg from 'pg';
import { countSeen, foundWorkspace } from './rows.ts';
import {
  asSuperuserOf,
  onPostgres,
  openStore,
  type Store,
  stateOf,
  superuserUrl,
} from './store.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const testOnServer = onPostgres ? test : () => {};

let store: Store;
before(async () => {
  store = await openStore();
});
after(() => store.close());

const namesOf = async (): Promise<string[]> => (await readMigrations()).map(({ name }) => name);

const applied = async (): Promise<unknown[]> =>
  (await store.beyond('select name from migrations order by name')).map(({ name }) => name);

test('an up-to-date database is not changed', async () => {
  const workspaceId = await foundWorkspace(store);
  const before = await store.beyond('select name, hash, applied_at::text from migrations');
  await store.migrate();
  deepEqual(await store.beyond('select name, hash, applied_at::text from migrations'), before);
  deepEqual(await applied(), await namesOf());
  equal(await countSeen(store, 'workspaces', { workspaceId }), 1);
});

test('a migration that has changed since it ran is rejected, and the error names it', async () => {
  const [{ name, hash } = { name: '', hash: '' }] = await readMigrations();
  const record = (to: string) =>
    store.beyond(`update migrations set hash = '${to}' where name = '${name}'`);
  await record('0'.repeat(64));
  await rejects(store.migrate(), new RegExp(`${name} has been changed since it was applied`));
  await record(hash);
  await store.migrate();
});

test('a database from a newer version is rejected, and the error names the unknown migration', async () => {
  await store.beyond(`insert into migrations values ('9999_future.sql', 'x', clock_timestamp())`);
  await rejects(store.migrate(), /newer version of Keyrail \(9999_future\.sql\)/);
  await store.beyond(`delete from migrations where name = '9999_future.sql'`);
  await store.migrate();
});

test('a database from an earlier commit is rejected, and the error says how to move its data', async () => {
  await store.beyond('create table kept as select * from migrations; delete from migrations');
  await store.beyond(
    `insert into migrations values ('0001_reach_and_guards.sql', 'x', clock_timestamp())`,
  );
  await rejects(store.migrate(), /earlier commit.*Nothing was changed.*backup.*restore/);
  await store.beyond('delete from migrations');
  await store.beyond('insert into migrations select * from kept; drop table kept');
  await store.migrate();
});

type Server = { url: string; superuser: pg.Client };

/** An empty database owned by the login, without a Keyrail schema. */
async function emptyDatabase(owner = 'keyrail'): Promise<Server & { drop(): Promise<void> }> {
  const superuser = new pg.Client({ connectionString: superuserUrl() });
  await superuser.connect();
  const name = `empty_${randomUUID().slice(0, 8)}`;
  await superuser.query(`create database ${name} owner ${owner}`);
  const url = new URL(superuserUrl());
  url.username = owner;
  url.pathname = `/${name}`;
  const drop = async () => {
    await superuser.query(`drop database ${name} with (force)`);
    await superuser.end();
  };
  return { url: url.toString(), superuser, drop };
}

async function ask(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

testOnServer('concurrently started processes migrate an empty database once', async (t) => {
  const databases = [await emptyDatabase(), await emptyDatabase()];
  for (const { drop } of databases) t.after(drop);
  const applied: string[][] = [];
  const log = {
    ...quiet,
    info: (fields: { applied: string[] }) => void applied.push(fields.applied),
  };
  const urls = databases.flatMap(({ url }) => [url, url, url]);
  await Promise.all(urls.map((url) => migratePostgres(url, log)));
  deepEqual(applied, [await namesOf(), await namesOf()]);
  for (const { url } of databases) await migratePostgres(url, quiet);
});

testOnServer('a failed migration leaves nothing behind', async (t) => {
  const { url, superuser, drop } = await emptyDatabase();
  t.after(drop);
  const asSuperuser = new URL(url);
  asSuperuser.username = superuser.user ?? '';
  // This table conflicts with the last one that the migration creates, so all earlier steps run
  // before the migration fails.
  await ask(asSuperuser.toString(), 'create schema keyrail; create table keyrail.api_keys ()');
  await ask(asSuperuser.toString(), 'grant all on schema keyrail to public');
  equal(await stateOf(migratePostgres(url, quiet)), '42P07');
  const left = `select relname from pg_class where relnamespace = 'keyrail'::regnamespace`;
  deepEqual(await ask(asSuperuser.toString(), left), [{ relname: 'api_keys' }]);
  await ask(asSuperuser.toString(), 'drop schema keyrail cascade');
  await migratePostgres(url, quiet);
});

/**
 * The ID of the lock that prevents two migrations of the same database from running concurrently.
 */
const LOCK_ID = 7_265_001;

testOnServer('a migration aborted by a deadlock runs again', async (t) => {
  const other = new pg.Client({ connectionString: asSuperuserOf(store.url ?? '') });
  await other.connect();
  t.after(() => other.end());
  // This transaction's deadlock timeout is long, so that PostgreSQL aborts the migration instead.
  await other.query(`begin; set local deadlock_timeout = '60s'; lock table keyrail.migrations`);
  const migrated = stateOf(store.migrate());
  const waits = `select count(*)::int as waiting from pg_locks
    where not granted and relation = 'keyrail.migrations'::regclass`;
  await until(async () => (await other.query(waits)).rows[0].waiting > 0);
  await other.query('select pg_advisory_xact_lock($1)', [LOCK_ID]);
  await other.query('commit');
  equal(await migrated, 'none');
});

for (const [kind, attribute] of [
  ['a superuser', 'superuser'],
  ['a login that bypasses row level security', 'bypassrls'],
] as const) {
  testOnServer(`a migration by ${kind} is rejected and changes nothing`, async (t) => {
    const role = `unsafe_${randomUUID().slice(0, 8)}`;
    await ask(superuserUrl(), `create role ${role} login createrole ${attribute}`);
    const { url, drop } = await emptyDatabase(role);
    t.after(async () => {
      await drop();
      await ask(superuserUrl(), `drop role ${role}`);
    });
    await rejects(migratePostgres(url, quiet), (error: unknown) => {
      return error instanceof UnsafeLoginRole && error.message.includes(role);
    });
    deepEqual(await ask(url, `select to_regnamespace('keyrail')::text as schema`), [
      { schema: null },
    ]);
  });
}

testOnServer('a login without CREATEROLE works once the roles are granted to it', async (t) => {
  const role = `plain_${randomUUID().slice(0, 8)}`;
  await ask(superuserUrl(), `create role ${role} login noinherit`);
  const { url, drop } = await emptyDatabase(role);
  const [{ oid } = {}] = (await ask(
    url,
    'select oid::int from pg_database where datname = current_database()',
  )) as { oid?: number }[];
  const names = allRoles.map((name) => `${name}_${oid}`);
  for (const name of names) await ask(superuserUrl(), `create role ${name} nologin noinherit`);
  await ask(superuserUrl(), `grant ${names} to ${role}`);
  t.after(async () => {
    await drop();
    await ask(superuserUrl(), `drop role ${role}, ${names}`);
  });
  await migratePostgres(url, quiet);
  equal(await stateOf(ask(url, 'select from keyrail.workspaces')), '42501');
});
