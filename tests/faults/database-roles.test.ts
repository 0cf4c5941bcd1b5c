// Several databases in one cluster: one database's login can't use another database's roles.
import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '@keyrail/server/base/clock.ts';
import { deadlineAfter } from '@keyrail/server/base/deadline.ts';
import { migratePostgres } from '@keyrail/server/commands/stores.ts';
import { UnsafeLoginRole } from '@keyrail/server/db/login-role.ts';
import { openPostgres } from '@keyrail/server/db/postgres.ts';
import { blocksOf, documents } from '@keyrail/testing/documents.ts';
import { whyNoCluster } from '@keyrail/testing/processes/homes.ts';
import { type Postgres, startPostgres } from '@keyrail/testing/stores/postgres.ts';
import pg from 'pg';
import { foundWorkspace } from '../contracts/rows.ts';
import { type Row, stateOf } from '../contracts/store.ts';
import { diagnosed, found, messagesOf, quietSettings } from './doctor.ts';

const REFUSED = '42501';
const DOORS = ['kr_owner', 'kr_read', 'kr_write', 'kr_record', 'kr_gate', 'kr_worker', 'kr_backup'];
const skip = whyNoCluster();

let cluster: Postgres;
before(async () => {
  if (!skip) cluster = await startPostgres();
});
after(async () => {
  if (!skip) await cluster.stop();
});

const urlOf = (user: string, database: string): string => {
  const url = new URL(cluster.superuserUrl);
  url.username = user;
  url.pathname = `/${database}`;
  return url.toString();
};

async function as<T>(
  user: string,
  database: string,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: urlOf(user, database) });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

const ask = (user: string, database: string, text: string): Promise<Row[]> =>
  as(user, database, async (client) => (await client.query(text)).rows);

const administer = (text: string): Promise<Row[]> => ask('postgres', 'postgres', text);

/**
 * The SQL statements in docs/operate.md, split at comments: those to run before the first start,
 * those to run after it, and the same two for a separate login that only runs migrations.
 */
const statements = documents()
  .filter(({ path }) => path === 'docs/operate.md')
  .flatMap(blocksOf)
  .filter(({ language }) => language === 'sql')
  .flatMap(({ code }) => code.split(/^--.*$/m))
  .map((code) =>
    code
      .split(/;\s*(?=\n(?:create|revoke|grant|alter|do)\b|\s*$)/)
      .filter((part) => part.trim() !== ''),
  );

/**
 * Runs statements from docs/operate.md, each in its own transaction, with `name` in place of
 * "keyrail".
 */
async function administerAsWritten(index: 0 | 1 | 2 | 3, name: string): Promise<void> {
  equal(statements.length, 4, 'the statements were found');
  const database = index === 3 ? name : 'postgres';
  for (const text of statements[index] ?? []) {
    await ask('postgres', database, text.replaceAll('keyrail', name));
  }
}

/** Creates a login and a database as docs/operate.md says, without the Keyrail schema. */
async function made(name: string): Promise<string> {
  await administerAsWritten(0, name);
  return name;
}

/** Migrates, as at startup. Returns the warnings, except those about other tests' logins. */
async function migrated(login: string, database = login): Promise<string[]> {
  const warnings: string[] = [];
  const log = { debug() {}, info() {}, warn: (text: string) => warnings.push(text), error() {} };
  await migratePostgres(urlOf(login, database), log);
  return warnings.filter((text) => !text.includes('before PostgreSQL 16'));
}

const roleIn = async (database: string, role: string): Promise<string> => {
  const rows = await ask('postgres', database, `select keyrail.role_of('${role}') as name`);
  return String(rows[0]?.name);
};

const openAs = (login: string, database = login) =>
  openPostgres({
    url: urlOf(login, database),
    clock: systemClock,
    connectionsMax: 2,
    onIdleError: () => {},
  });

test("another database's login cannot connect, and even if allowed to connect, cannot use the roles", {
  skip,
}, async () => {
  const mine = await made('mine');
  const other = await made('other');
  for (const login of [mine, other]) {
    match((await migrated(login)).join(), new RegExp(`ALTER ROLE "${login}" NOCREATEROLE`));
    await administerAsWritten(1, login);
    deepEqual(await migrated(login), [], 'no warning is left');
  }
  equal(await stateOf(ask(other, mine, 'select 1')), REFUSED);
  equal(await stateOf(ask(other, mine, 'listen kr_policy')), REFUSED);
  for (const door of DOORS) {
    const creating = `set role ${await roleIn(mine, door)}; create temporary table users (id int)`;
    equal(await stateOf(ask(mine, mine, creating)), REFUSED, door);
  }
  // By default, every login may connect to every database. Keyrail removes that privilege when it
  // starts.
  await administer(`grant connect on database ${mine} to public`);
  equal(await stateOf(ask(other, mine, 'select 1')), 'none');
  await migrated(mine);
  equal(await stateOf(ask(other, mine, 'select 1')), REFUSED);

  await administer(`grant connect on database ${mine} to ${other}`);
  for (const door of DOORS) {
    for (const role of [await roleIn(mine, door), await roleIn(other, door)]) {
      const reading = `set role ${role}; select from keyrail.users`;
      equal(await stateOf(ask(other, mine, reading)), REFUSED, role);
    }
    equal(await stateOf(ask(other, mine, `grant ${await roleIn(mine, door)} to other`)), REFUSED);
  }
  const db = openAs(mine);
  await foundWorkspace({ db });
  await db.close();
});

test('a renamed database keeps its roles, and a copied database gets its own', {
  skip,
}, async () => {
  const login = await made('renamed');
  await migrated(login);
  await administer(`alter role ${login} nocreaterole`);
  const gate = await roleIn(login, 'kr_gate');
  await administer('alter database renamed rename to another_name');
  deepEqual(await migrated(login, 'another_name'), []);
  equal(await roleIn('another_name', 'kr_gate'), gate);

  const copy = await made('of_copy');
  await administer('drop database of_copy');
  await administer('create database of_copy template another_name owner of_copy');
  await migrated(copy);
  await administer(`alter role ${copy} nocreaterole`);
  deepEqual(await migrated(copy), []);
  equal((await roleIn(copy, 'kr_gate')) === gate, false);
  await administer('grant connect on database another_name to of_copy');
  equal(await stateOf(ask(copy, 'another_name', `set role ${gate}`)), REFUSED);
  for (const [user, database] of [
    [copy, copy],
    [login, 'another_name'],
  ] as const) {
    const db = openAs(user, database);
    await foundWorkspace({ db });
    await db.close();
  }
});

test("if a separate login runs the migrations, the server's login never needs CREATEROLE", {
  skip,
}, async () => {
  await administerAsWritten(2, 'apart');
  await migrated('apart_setup', 'apart');
  await administerAsWritten(3, 'apart');
  deepEqual(await migrated('apart'), []);
  const [{ may } = { may: true }] = await administer(
    "select bool_or(rolcreaterole) as may from pg_roles where rolname like 'apart%'",
  );
  equal(may, false);
  const db = openAs('apart');
  equal(await db.ping(deadlineAfter(5000)).then(() => 'pong'), 'pong');
  await db.close();
});

test('before PostgreSQL 16, the doctor reports any role with CREATEROLE as an error', {
  skip,
}, async (t) => {
  const login = await made('watched');
  await migrated(login);
  const settings = { ...(await quietSettings(t)), DATABASE_URL: urlOf(login, login) };
  const [version] = await administer("select current_setting('server_version_num')::int as num");
  const severity = Number(version?.num) < 160_000 ? 'error' : 'warning';
  const own = found(await diagnosed(settings), 'roles', /login can still create roles/);
  deepEqual([own.severity, own.remedy], [severity, `ALTER ROLE "${login}" NOCREATEROLE`]);
  await administerAsWritten(1, login);
  const makers = await administer(
    'select rolname from pg_roles where rolcreaterole and not rolsuper',
  );
  for (const { rolname } of makers) await administer(`alter role "${rolname}" nocreaterole`);
  const clean = await diagnosed(settings);
  deepEqual(messagesOf(clean, 'roles', 'error'), []);
  await administer('create role stranger createrole');
  const findings = await diagnosed(settings);
  await administer('drop role stranger');
  for (const { rolname } of makers) await administer(`alter role "${rolname}" createrole`);
  if (severity === 'warning') return deepEqual(messagesOf(findings, 'roles', 'error'), []);
  const other = found(findings, 'roles', /can change the database login's password.*stranger/i);
  deepEqual([other.severity, other.remedy], ['error', 'ALTER ROLE "stranger" NOCREATEROLE']);
});

test('a login without CREATEROLE gets an error that says what it needs', { skip }, async () => {
  const login = await made('powerless');
  await administer(`alter role ${login} nocreaterole`);
  await rejects(migrated(login), /cannot set up the roles.*ALTER ROLE "powerless" CREATEROLE/);
  await administer(`alter role ${login} createrole`);
  await migrated(login);
});

test('the server refuses to start with a role that bypasses row level security', {
  skip,
}, async () => {
  const login = await made('unsafe');
  await migrated(login);
  const gate = await roleIn(login, 'kr_gate');
  await administer('create role beyond bypassrls');
  for (const [spoil, mend] of [
    [`alter role ${gate} bypassrls`, `alter role ${gate} nobypassrls`],
    [`alter role ${gate} superuser`, `alter role ${gate} nosuperuser`],
    [`grant beyond to ${gate}`, `revoke beyond from ${gate}`],
  ]) {
    await administer(spoil ?? '');
    await rejects(migrated(login), (error) => error instanceof UnsafeLoginRole, spoil);
    await administer(mend ?? '');
    await migrated(login);
  }
});

test("a warning lists any other login that can use Keyrail's roles", { skip }, async () => {
  const login = await made('shared');
  await migrated(login);
  await administer(
    `create role second_login login; grant ${await roleIn(login, 'kr_read')} to second_login`,
  );
  match((await migrated(login)).join(), /other logins .*: second_login/);
});
