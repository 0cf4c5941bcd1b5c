// The roles in the embedded store, whose PostgreSQL version is newer than that of most servers. It
// can also act as a server, with a login that is not a superuser.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import type { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import { systemClock } from '@keyrail/server/base/clock.ts';
import { embeddedDatabase } from '@keyrail/server/db/embedded/embedded.ts';
import { migrate, readMigrations } from '@keyrail/server/db/migrate.ts';
import { allRoles } from '@keyrail/server/db/roles.ts';
import { openEmbeddedCopy } from '@keyrail/testing/database-copies.ts';
import pg from 'pg';
import { countSeen, foundWorkspace } from '../contracts/rows.ts';
import {
  BELONGINGS,
  furnishWithSharedRoles,
  migrateWithSharedRoles,
} from '../contracts/shared-roles.ts';

const rolesLike = (pattern: string): string =>
  `select rolname::text as name from pg_roles where rolname ~ '${pattern}' order by 1`;

async function connectedTo(lite: PGlite): Promise<pg.Client> {
  const client = new pg.Client(createPgConfig(lite));
  await client.connect();
  return client;
}

/** A database without our schema, made from a copy, which is faster than creating one. */
async function openEmpty(): Promise<PGlite> {
  const lite = await openEmbeddedCopy();
  const roles = ['kr_login', ...allRoles.map((name) => `${name}_5`)];
  await lite.exec(`drop schema keyrail cascade; drop owned by kr_login; drop role ${roles}`);
  return lite;
}

/** The same for a login as docs/operate.md creates it. */
async function asServer(): Promise<PGlite> {
  const lite = await openEmpty();
  await lite.exec(`create role keyrail login noinherit createrole;
    alter database postgres owner to keyrail; set session authorization keyrail`);
  return lite;
}

async function asked(lite: PGlite, text: string): Promise<unknown[]> {
  await lite.exec('set search_path = keyrail');
  return (await lite.query(text)).rows;
}

/** Owners and grants of a database that this version created. */
async function wanted(): Promise<unknown[]> {
  const fresh = await openEmbeddedCopy();
  const rows = await asked(fresh, BELONGINGS);
  await fresh.close();
  return rows;
}

test('a data directory with shared roles gets its own roles', async (t) => {
  const lite = await openEmpty();
  const before = await connectedTo(lite);
  await migrateWithSharedRoles(before);
  const place = await furnishWithSharedRoles(before);
  const db = await embeddedDatabase(lite, systemClock);
  t.after(() => db.close());
  equal(await countSeen({ db }, 'api_keys', place), 1);
  await foundWorkspace({ db });
  deepEqual(await asked(lite, BELONGINGS), await wanted());
  const names = ['kr_login', ...allRoles.map((name) => `${name}_5`)].toSorted();
  deepEqual(
    await asked(lite, rolesLike('^kr_')),
    names.map((name) => ({ name })),
  );
});

test('a login that creates the roles may SET ROLE to them, since version 16 too', async (t) => {
  const lite = await asServer();
  t.after(() => lite.close());
  const names = (await readMigrations()).map(({ name }) => name);
  deepEqual(await migrate(await connectedTo(lite)), names);
  await lite.exec('set session authorization postgres; alter role keyrail nocreaterole');
  await lite.exec('set session authorization keyrail');
  deepEqual(await migrate(await connectedTo(lite)), [], 'it needs no CREATEROLE afterwards');
});

test('a server of version 16 migrates shared roles to its own', async (t) => {
  const lite = await asServer();
  t.after(() => lite.close());
  const login = await connectedTo(lite);
  await migrateWithSharedRoles(login);
  await migrate(login);
  deepEqual(await asked(lite, BELONGINGS), await wanted());
  deepEqual(await asked(lite, rolesLike('^kr_[a-z]+$')), []);
});

test('since version 16 only a member of the old owner can migrate a copy', async (t) => {
  const lite = await asServer();
  t.after(() => lite.close());
  const login = await connectedTo(lite);
  await migrate(login);
  // As after a restore from another database, whose roles an administrator created.
  await lite.exec('set session authorization postgres');
  for (const name of allRoles) {
    await lite.exec(
      `alter role ${name}_5 rename to ${name}_77; revoke ${name}_77 from keyrail cascade`,
    );
  }
  await lite.exec('set session authorization keyrail');
  await rejects(
    migrate(login),
    /belongs to the role "kr_owner_77".*GRANT "kr_owner_77" TO "keyrail"/,
  );
  await lite.exec(`set session authorization postgres; grant kr_owner_77 to keyrail;
    set session authorization keyrail`);
  await migrate(login);
  deepEqual(await asked(lite, BELONGINGS), await wanted());
});
