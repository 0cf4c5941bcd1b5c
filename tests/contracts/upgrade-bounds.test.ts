// A database that was filled before its sizes were counted: existing rows count from the upgrade
// on, stored responses do not change, and row level security is in force again.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import { migrate, readMigrations, readRoleSetup } from '@keyrail/server/db/migrate.ts';
import { allRoles, inThisDatabase } from '@keyrail/server/db/roles.ts';
import pg from 'pg';

const FIRST_NEW = '0017';
const BIG = 5000;
const SMALL = 10;

/** Migrates to the previous version. */
async function migrateUntil(client: pg.Client, firstLeftOut: string): Promise<void> {
  await client.query('begin');
  await client.query("select set_config('kr.roles', $1, true)", [allRoles.join(',')]);
  for (const text of await readRoleSetup()) await client.query(text);
  const withWholeNames = await inThisDatabase(client);
  await client.query('set local search_path = keyrail');
  await client.query(`create table migrations (
    name text primary key, hash text not null, applied_at timestamptz not null)`);
  for (const { name, text, hash } of await readMigrations()) {
    if (name >= firstLeftOut) continue;
    await client.query(withWholeNames(text));
    await client.query('insert into migrations values ($1, $2, clock_timestamp())', [name, hash]);
  }
  await client.query('commit');
}

/** Inserts two workspaces without guards and triggers; the first has rows in every table. */
const filling = `
  set session_replication_role = replica;
  insert into workspaces (id, name, slug, embed_origins, created_at, updated_at)
    select n::text::uuid, 'w', 'w' || right(n, 1), '{}', clock_timestamp(), clock_timestamp()
    from unnest(array['00000000-0000-4000-8000-000000000001',
      '00000000-0000-4000-8000-000000000002']) n;
  insert into tenants (id, workspace_id, external_id, meta, embed_epoch, created_at, updated_at)
    select gen_random_uuid(), (array_agg(w.id order by w.id))[1], 't' || n,
      json_build_object('a', repeat('x', case n when 1 then ${BIG} else ${SMALL} end)), 1,
      clock_timestamp(), clock_timestamp()
    from workspaces w, generate_series(1, 2) n group by n;
  insert into usage_tenant_months select w.id, gen_random_uuid(), gen_random_uuid(), 'live',
      '2026-01-01', 1, clock_timestamp(), clock_timestamp()
    from workspaces w, generate_series(1, 3) where w.slug = 'w1';
  insert into idempotency_records (workspace_id, env, scope_hash, fingerprint, locked_until, status,
      headers, body, expires_at)
    select id, 'live', sha256('a'), sha256('b'), clock_timestamp(), 200, '{"x-a":"b"}', 'old',
      clock_timestamp() + interval '1 hour' from workspaces where slug = 'w1';
  set session_replication_role = origin;`;

test('rows stored before the upgrade count and stay readable', async (t) => {
  const lite = await PGlite.create();
  t.after(() => lite.close());
  const client = new pg.Client(createPgConfig(lite));
  await client.connect();
  await migrateUntil(client, FIRST_NEW);
  await client.query(`set search_path = keyrail; ${filling}`);
  await migrate(client);
  const rows = async (text: string) => (await client.query(text)).rows;
  const counted = BIG + '{"a" : ""}'.length - 1024;
  deepEqual(await rows('select bytes::int from meta_totals'), [{ bytes: counted }]);
  deepEqual(await rows('select months::int from tenant_month_totals'), [{ months: 3 }]);
  deepEqual(
    await rows(`select headers, convert_from(body, 'UTF8') as body, sealed, stored_bytes
      from idempotency_records`),
    [{ headers: { 'x-a': 'b' }, body: 'old', sealed: null, stored_bytes: 0 }],
  );
  const [unforced] = await rows(`select count(*)::int as tables from pg_class
    where relnamespace = 'keyrail'::regnamespace and relrowsecurity and not relforcerowsecurity`);
  equal(unforced.tables, 0);
});
