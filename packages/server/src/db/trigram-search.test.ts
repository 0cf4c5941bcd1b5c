// Trigram indexes on PostgreSQL: a search for any part of a text finds rows of any age, but only
// rows that the caller can access. Without the extension, only the newest rows are searched.
import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SEARCH_EXAMINED_MAX } from '@keyrail/protocol/wire/limits.ts';
import { postgresCopyFor } from '@keyrail/testing/database-copies.ts';
import { type Caller, harness } from '@keyrail/testing/harness.ts';
import { storeName, testApp } from '@keyrail/testing/test-app.ts';
import pg from 'pg';
import { openBackup } from '../backup/open-backup.ts';
import { restoreBackup } from '../backup/restore-backup.ts';
import { writeBackup } from '../backup/write-backup.ts';
import { deadlineAfter } from '../base/deadline.ts';
import { systemRandomBytes } from '../base/random.ts';
import { migrate } from './migrate.ts';
import { withPostgresAdmin } from './postgres.ts';
import { doorRoles } from './roles.ts';
import { createSearchPreparation, prepareTrigramSearch, trigramIndexes } from './trigram-search.ts';

const superuserUrl = process.env.KEYRAIL_TEST_POSTGRES ?? '';
const skip = storeName === 'embedded' && 'the embedded store has no trigram indexes';

/** The URL of the tests' database for a role. */
async function urlAs(role: string): Promise<string> {
  const scope = { workspaceId: null, envs: [] };
  const opening = { role: 'kr_read' as const, scope, deadline: deadlineAfter(10_000) };
  const statement = { text: 'select current_database() as name', values: [] };
  const { rows } = await (await testApp()).db.once(opening, statement);
  const url = new URL(superuserUrl);
  url.username = role;
  url.pathname = `/${rows[0]?.name}`;
  return url.toString();
}

async function superuserOf(t: TestContext, url: string): Promise<pg.Client> {
  const options = '-c search_path=keyrail -c session_replication_role=replica';
  const admin = new pg.Client({ connectionString: url, options });
  admin.on('error', () => {});
  await admin.connect();
  t.after(() => admin.end());
  return admin;
}

/** Whether the search function exists and all trigram indexes are complete. */
async function isPrepared(admin: pg.ClientBase): Promise<boolean> {
  const { rows } = await admin.query(
    `select count(*) = 3 and to_regprocedure('keyrail.trigram_matches(text, text)') is not null
       as prepared
     from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indisvalid and c.relname = any ($1::text[])`,
    [trigramIndexes],
  );
  return rows[0]?.prepared;
}

const found = async (call: Caller, q: string) =>
  (await call('GET /v1/search', { q })).data.map(({ id }) => id);

test('a search finds rows of any age by any part of a text, but none that the caller cannot access', {
  skip,
}, async (t) => {
  const { as, given, workspaceId } = await harness(t);
  const other = await harness(t);
  const tenant = await given.tenant({ name: 'Quixotic 100%_\\', external_id: 'old-1' });
  const project = await given.project({ name: 'A quixotic API' });
  const place = { tenant_id: tenant.id, project_id: project.id };
  const live = await given.key({ ...place, name: 'Their quixotic key' });
  const test = await given.key({ ...place, name: 'Their quixotic test', env: 'test' });
  const admin = await superuserOf(t, await urlAs('postgres'));
  const many = `from generate_series(1, ${SEARCH_EXAMINED_MAX}) n`;
  const w = `'${workspaceId}'::uuid`;
  const later = "app_now() + n * interval '1 s'";
  const { rows } = await admin.query('select change_id from api_keys where id = $1', [live.id]);
  for (const text of [
    `insert into tenants (id, workspace_id, external_id, meta, embed_epoch, created_at, updated_at)
      select gen_random_uuid(), ${w}, 'new-' || n, '{}', 1, ${later}, ${later} ${many}`,
    `insert into projects (id, workspace_id, name, slug, default_rate_limits, created_at,
      updated_at)
      select gen_random_uuid(), ${w}, 'New', 'new-' || n, '[]', ${later}, ${later} ${many}`,
    `insert into api_keys (id, workspace_id, project_id, tenant_id, env, lookup_hash,
      display_prefix, scopes, meta, change_id, created_at)
      select gen_random_uuid(), ${w}, '${project.id}', '${tenant.id}', env,
        sha256((n || env::text || ${w}::text)::bytea), 'kr_', '{}', '{}', '${rows[0]?.change_id}',
        ${later} ${many}, unnest('{live,test}'::env[]) env`,
  ]) {
    await admin.query(text);
  }
  await admin.query('drop function if exists trigram_matches(text, text)');
  deepEqual(await found(as.liveKey, 'uixot'), [], 'they are too old');

  equal(await prepareTrigramSearch(await urlAs('keyrail')), null);
  deepEqual(await found(as.liveKey, 'uixot'), [test.id, live.id, project.id, tenant.id]);
  deepEqual(await found(as.liveKey, 'tic 100%_'), [tenant.id]);
  deepEqual(await found(as.liveKey, 'tic 100%_\\'), [tenant.id]);
  for (const q of ['tic%', 'tic 100_%', 'tic 100%_\\\\', '%uixot', 'uixot%']) {
    deepEqual(await found(as.liveKey, q), [], q);
  }
  deepEqual(await found(as.testKey, 'uixot'), [test.id, project.id, tenant.id]);
  deepEqual(await found(other.as.liveKey, 'uixot'), []);
  const elsewhere = await given.project();
  const limits = { env: 'live', project_ids: [elsewhere.id] };
  const { key } = await as.liveKey('POST /v1/secret_keys', limits);
  deepEqual(await found(as.token(key), 'uixot'), [tenant.id]);
  const listed = await as.liveKey('GET /v1/keys', { q: 'heir quix', env: 'live' });
  deepEqual(
    listed.data.map(({ id }) => id),
    [live.id],
  );

  // Called directly, the function returns only rows in the transaction's scope, and none without a
  // scope.
  const roles = await admin.query("select role_of('kr_read') as reader");
  await admin.query(`set role ${roles.rows[0].reader}`);
  const hits = "select count(*)::int as hits from trigram_matches('api_keys', 'uixot')";
  deepEqual((await admin.query(hits)).rows, [{ hits: 0 }]);
  await admin.query(`set kr.workspace = '${workspaceId}'; set kr.envs = 'test'`);
  deepEqual((await admin.query(hits)).rows, [{ hits: 1 }]);
  for (const [setting, value, expected] of [
    ['kr.envs', 'live,test', 2],
    ['kr.tenant', tenant.id, 2],
    ['kr.tenant', elsewhere.id, 0],
    ['kr.tenant', '', 2],
    ['kr.project', `${elsewhere.id},${project.id}`, 2],
    ['kr.project', elsewhere.id, 0],
    ['kr.workspace', other.workspaceId, 0],
  ] as const) {
    await admin.query(`set ${setting} = '${value}'`);
    deepEqual((await admin.query(hits)).rows, [{ hits: expected }], `${setting} = ${value}`);
  }
});

test('a second run builds only the indexes that are missing or incomplete', { skip }, async (t) => {
  const { url, admin } = await postgresCopyFor(t, superuserUrl);
  const state = async () =>
    (
      await admin.query(
        `select c.relname::text as name, i.indisvalid as whole, c.oid::text as oid
         from pg_index i join pg_class c on c.oid = i.indexrelid
         where c.relname = any ($1::text[]) order by c.relname`,
        [trigramIndexes],
      )
    ).rows;
  equal(await prepareTrigramSearch(url), null);
  const before = await state();
  deepEqual(
    before.map(({ name, whole }) => [name, whole]),
    [
      ['api_keys_trigrams', true],
      ['projects_trigrams', true],
      ['tenants_trigrams', true],
    ],
  );
  equal(await prepareTrigramSearch(url), null);
  deepEqual(await state(), before);
  await admin.query(
    "update pg_index set indisvalid = false where indexrelid = 'keyrail.tenants_trigrams'::regclass",
  );
  equal(await prepareTrigramSearch(url), null);
  const after = await state();
  deepEqual(after.slice(0, 2), before.slice(0, 2));
  equal(after[2].whole, true);
});

test('a login that cannot create the extension gets the reason', { skip }, async (t) => {
  const { url, admin } = await postgresCopyFor(t, superuserUrl);
  await admin.query(`alter database ${new URL(url).pathname.slice(1)} owner to postgres`);
  match((await prepareTrigramSearch(url)) ?? '', /permission denied to create extension/);
  const { rows } = await admin.query(
    "select to_regprocedure('keyrail.trigram_matches(text, text)') as made",
  );
  deepEqual(rows, [{ made: null }]);
});

test('a database with trigram indexes can be backed up and restored into', { skip }, async (t) => {
  const { url } = await postgresCopyFor(t, superuserUrl);
  const target = await postgresCopyFor(t, superuserUrl);
  for (const each of [url, target.url]) equal(await prepareTrigramSearch(each), null);
  const into = await mkdtemp(join(tmpdir(), 'kr-trigrams-'));
  t.after(() => rm(into, { recursive: true, force: true }));
  const { id } = await withPostgresAdmin(url, (session) =>
    writeBackup(session, {
      store: 'postgres',
      into,
      part: '.part',
      key: null,
      masterKeyMark: 'mark',
      signChains: null,
      randomBytes: systemRandomBytes,
      report: () => {},
    }),
  );
  const backup = await openBackup(join(into, id), null);
  const order = { report: () => {}, rotateSigningKeys: async () => {}, aheadOf: 0 };
  await withPostgresAdmin(target.url, (session) => restoreBackup(session, backup, order));
  equal(await isPrepared(target.admin), false);
  equal(await prepareTrigramSearch(target.url), null);
  equal(await isPrepared(target.admin), true);
});

test('only searches may call the function, and temporary objects do not change what it reads', {
  skip,
}, async (t) => {
  const { url, admin } = await postgresCopyFor(t, superuserUrl);
  equal(await prepareTrigramSearch(url), null);
  const calling = "select * from keyrail.trigram_matches('tenants', 'abc')";
  await withPostgresAdmin(url, async (login) => {
    await rejects(login.query(calling), /permission denied for function/);
    for (const door of doorRoles) {
      await login.query("select set_config('role', keyrail.role_of($1), false)", [door]);
      if (door === 'kr_read') await login.query(calling);
      else await rejects(login.query(calling), /permission denied for function/, door);
      await login.query('reset role');
    }
  });
  const workspace = randomUUID();
  await admin.query(`create temporary table tenants as
    select gen_random_uuid() as id, '${workspace}'::uuid as workspace_id, 'abc' as name_key,
      'abc' as external_id_key`);
  await admin.query(`set search_path = pg_temp; set kr.workspace = '${workspace}'`);
  deepEqual((await admin.query(calling)).rows, []);
});

test('while an index is missing or incomplete, the function reads nothing', { skip }, async (t) => {
  const { url, admin } = await postgresCopyFor(t, superuserUrl);
  equal(await prepareTrigramSearch(url), null);
  const workspace = randomUUID();
  await admin.query(`set session_replication_role = replica;
    set search_path = keyrail; set kr.workspace = '${workspace}';
    insert into tenants (id, workspace_id, external_id, meta, embed_epoch, created_at, updated_at)
      values (gen_random_uuid(), '${workspace}', 'xabcx', '{}', 1, app_now(), app_now())`);
  const matches = async () =>
    (await admin.query("select indexed_matches('tenants', 'abc')")).rowCount;
  equal(await matches(), 1);
  const setValid = (isValid: boolean) =>
    admin.query(`update pg_index set indisvalid = ${isValid}
      where indexrelid = 'keyrail.tenants_trigrams'::regclass`);
  await setValid(false);
  equal(await matches(), 0);
  await setValid(true);
  equal(await matches(), 1);
  await admin.query('drop extension pg_trgm cascade');
  equal(await matches(), 0);
  equal(await prepareTrigramSearch(url), null);
  equal(await matches(), 1);
});

test('processes that prepare at the same time build each index once', { skip }, async (t) => {
  const { url, admin } = await postgresCopyFor(t, superuserUrl);
  const outcomes = await Promise.all([url, url, url, url].map(prepareTrigramSearch));
  deepEqual(outcomes, [null, null, null, null]);
  equal(await isPrepared(admin), true);
});

test('the extension may be in any schema that the owner can use', { skip }, async (t) => {
  const { url, admin } = await postgresCopyFor(t, superuserUrl);
  await admin.query('create schema "Else where"; create extension pg_trgm schema "Else where"');
  const messages: object[] = [];
  const log = {
    debug() {},
    info: (fields: object) => messages.push(fields),
    warn() {},
    error() {},
  };
  const job = createSearchPreparation(url, log);
  await job();
  await job();
  deepEqual(messages, [{ reason: 'permission denied for schema Else where' }], 'is logged once');
  await admin.query('grant usage on schema "Else where" to public');
  equal(await prepareTrigramSearch(url), null);
});

test('after a database is copied, the copy is migrated and its trigram indexes are built with its own roles', {
  skip,
}, async (t) => {
  const { url, admin } = await postgresCopyFor(t, superuserUrl);
  equal(await prepareTrigramSearch(url), null);
  const name = `copy_${randomUUID().slice(0, 8)}`;
  const from = new URL(url).pathname.slice(1);
  const maker = new pg.Client({ connectionString: superuserUrl });
  await maker.connect();
  t.after(async () => {
    await maker.query(`drop database if exists ${name} with (force)`);
    await maker.end();
  });
  await admin.end();
  await maker.query(`create database ${name} template ${from} owner keyrail`);
  const copy = new URL(url);
  copy.pathname = `/${name}`;
  await withPostgresAdmin(copy.toString(), migrate);
  equal(await prepareTrigramSearch(copy.toString()), null);
  const owner = await withPostgresAdmin(copy.toString(), (login) =>
    login.query(`select pg_get_userbyid(proowner) = keyrail.role_of('kr_backup') as mine
      from pg_proc where proname = 'trigram_matches'`),
  );
  deepEqual(owner.rows, [{ mine: true }]);
});
