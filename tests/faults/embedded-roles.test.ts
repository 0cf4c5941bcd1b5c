// Roles on the embedded store, whose PostgreSQL version is newer than most servers'. The embedded
// store can also stand in for a PostgreSQL server, with a login that isn't a superuser.
import { deepEqual, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import type { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';

import { migrate, readMigrations } from '@keyrail/server/db/migrate.ts';
import { allRoles } from '@keyrail/server/db/roles.ts';
import { openEmbeddedCopy } from '@keyrail/testing/database-copies.ts';
import pg from 'pg';

/** The schema's owners, grants and policies. Role names appear without the database's OID. */
const BELONGINGS = `
  with held as (
    select c.oid::regclass::text as thing, relowner as owner, relacl as acl
      from pg_class c where relnamespace = 'keyrail'::regnamespace and relkind in ('r', 'p', 'v', 'S')
    union all
    select a.attrelid::regclass || '.' || attname, relowner, attacl
      from pg_attribute a join pg_class c on c.oid = a.attrelid
      where relnamespace = 'keyrail'::regnamespace and attacl is not null
    union all
    select p.oid::regprocedure || ' ' || prosecdef || ' ' || coalesce(proconfig::text, ''),
        proowner, proacl from pg_proc p where pronamespace = 'keyrail'::regnamespace
    union all
    select 'type ' || t.oid::regtype, typowner, typacl
      from pg_type t where typnamespace = 'keyrail'::regnamespace
    union all
    select 'schema', nspowner, nspacl from pg_namespace where nspname = 'keyrail'
  ), said as (
    select thing || ' belongs to ' || owner::regrole as line from held
    union all
    select thing || ': ' || entry.privilege_type || ' to '
        || case when entry.grantee = 0 then 'public' else entry.grantee::regrole::text end
        || ' by ' || entry.grantor::regrole
      from held, aclexplode(held.acl) entry
    union all
    select 'policy ' || polname || ' on ' || polrelid::regclass || ' to '
        || case when role_oid = 0 then 'public' else role_oid::regrole::text end
      from pg_policy, unnest(polroles) role_oid
      where polrelid in (select oid from pg_class where relnamespace = 'keyrail'::regnamespace)
  )
  select regexp_replace(line, '\\m(kr_[a-z]+)_\\d+\\M', '\\1', 'g') as line
  from said order by line collate "C"`;

async function connectedTo(lite: PGlite): Promise<pg.Client> {
  const client = new pg.Client(createPgConfig(lite));
  await client.connect();
  return client;
}

/**
 * A database without Keyrail's schema. Removing the schema from a copy is faster than creating a
 * new database.
 */
async function openEmpty(): Promise<PGlite> {
  const lite = await openEmbeddedCopy();
  const roles = ['kr_login', ...allRoles.map((name) => `${name}_5`)];
  await lite.exec(`drop schema keyrail cascade; drop owned by kr_login; drop role ${roles}`);
  return lite;
}

/**
 * An empty database, used by a login that is set up as docs/operate.md says, as on a PostgreSQL
 * server.
 */
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

/** The owners and grants in a database created by this version. */
async function wanted(): Promise<unknown[]> {
  const fresh = await openEmbeddedCopy();
  const rows = await asked(fresh, BELONGINGS);
  await fresh.close();
  return rows;
}

test('a login that creates the roles can use SET ROLE, even on PostgreSQL 16 and later', async (t) => {
  const lite = await asServer();
  t.after(() => lite.close());
  const names = (await readMigrations()).map(({ name }) => name);
  deepEqual(await migrate(await connectedTo(lite)), names);
  await lite.exec('set session authorization postgres; alter role keyrail nocreaterole');
  await lite.exec('set session authorization keyrail');
  deepEqual(await migrate(await connectedTo(lite)), [], 'it needs no CREATEROLE afterwards');
});

test('since PostgreSQL 16, only a member of the old owner role can migrate a copy', async (t) => {
  const lite = await asServer();
  t.after(() => lite.close());
  const login = await connectedTo(lite);
  await migrate(login);
  // Makes the database look as if it had been restored from another one, in which an administrator
  // had created the roles.
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
