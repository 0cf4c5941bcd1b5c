// Backup contract: backups are complete, the same on both stores, and rejected when damaged. A
// restore brings back every row, ends all sessions and one-time tokens, and raises policy versions.
// A half-restored database never serves requests.
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { newBackupKey } from '@keyrail/server/backup/encryption.ts';
import { type Manifest, writeManifest } from '@keyrail/server/backup/manifest.ts';
import { openBackup } from '@keyrail/server/backup/open-backup.ts';
import { BadBackup } from '@keyrail/server/backup/places.ts';
import { restoreBackup } from '@keyrail/server/backup/restore-backup.ts';
import { AnotherIsRunning, writeBackup } from '@keyrail/server/backup/write-backup.ts';
import { systemRandomBytes } from '@keyrail/server/base/random.ts';
import { restoreCommand } from '@keyrail/server/commands/restore.ts';
import { readConfig } from '@keyrail/server/config.ts';
import { inMigration, migrate, migrateWithin, readMigrations } from '@keyrail/server/db/migrate.ts';
import { withPostgresAdmin } from '@keyrail/server/db/postgres.ts';

import { furnish } from './backup-rows.ts';
import { emptyEmbedded, emptyTarget, type Target, type Use } from './backup-targets.ts';
import { damages } from './damages.ts';
import { onPostgres, openStore, type Store } from './store.ts';

let store: Store;
let inStore: Use;
let directory: string;
let key: string;
let manifest: Manifest;
const backupAt = () => join(directory, manifest.id);

const backUp = (use: Use, keyOfBackup: string | null) =>
  use((session) =>
    writeBackup(session, {
      store: 'embedded',
      into: directory,
      part: `.part-${randomUUID()}`,
      key: keyOfBackup,
      masterKeyMark: 'mark',
      signChains: null,
      randomBytes: systemRandomBytes,
      report: () => {},
    }),
  );

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kr-backups-'));
  key = await newBackupKey();
  store = await openStore();
  const { url } = store;
  inStore = url === null ? store.session : (use) => withPostgresAdmin(url, use);
  await furnish(store);
  manifest = await backUp(inStore, key);
});
after(async () => {
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

const order = { report: () => {}, rotateSigningKeys: async () => {}, aheadOf: 0 };

test('a backup contains every table, and its manifest describes its contents', async () => {
  const tables = await store.beyond(`select relname::text as name from pg_class
    where relnamespace = 'keyrail'::regnamespace and relkind = 'r' and relname <> 'migrations'`);
  const names = manifest.tables.map(({ name }) => name);
  deepEqual(names.toSorted(), tables.map(({ name }) => String(name)).toSorted());
  for (const { name, rows } of manifest.tables) {
    const [counted] = await store.beyond(`select count(*)::int as rows from keyrail.${name}`);
    equal(rows, counted?.rows, name);
  }
  const heads = await store.beyond('select workspace_id, hash from keyrail.audit_heads');
  deepEqual(
    manifest.chains.map(({ hash }) => hash).toSorted(),
    heads.map(({ hash }) => String(hash)).toSorted(),
  );
  ok(heads.length > 0);
});

test('a half-restored database cannot be served until another restore has completed', async (t) => {
  const backup = await openBackup(backupAt(), key);
  const target = await emptyTarget(t);
  const interrupted = { ...order, rotateSigningKeys: () => Promise.reject(new Error('killed')) };
  await rejects(
    target.use((session) => restoreBackup(session, backup, interrupted)),
    /killed/,
  );
  await rejects(target.use(migrate), /The restore of backup \S+ was interrupted/);

  const { migrated, fenced } = await target.use((session) => restoreBackup(session, backup, order));
  deepEqual(migrated, []);
  deepEqual(await target.use(migrate), [], 'the database serves again');
  equal(fenced['sessions ended'], 1);
  equal(fenced['one-time tokens ended'], 1);
  equal(fenced['emails held back'], 1);
  const [version] = await target.rows(`select min(version)::float8 as least,
    bool_and(floor = version) as floored from keyrail.project_versions`);
  ok(Number(version?.least) > 1e9 && version?.floored, 'nodes are below the floor');
  const [epoch] = await target.rows('select min(embed_epoch) as least from keyrail.tenants');
  ok(Number(epoch?.least) >= 1000);
  const [odd] = await target.rows(`select params::text, recipient from keyrail.mail_outbox`);
  const [same] = await store.beyond(`select params::text, recipient from keyrail.mail_outbox`);
  deepEqual(odd, same, 'texts are unchanged');
  const loose = await target.rows(`select relname from pg_class where relname <> 'migrations'
    and relnamespace = 'keyrail'::regnamespace and relkind = 'r' and not relforcerowsecurity`);
  deepEqual(loose, [], 'row level security is forced again');
  const idle = await target.rows(`select tgname from pg_trigger where tgenabled <> 'O'`);
  deepEqual(idle, [], 'every trigger is enabled again');
  const [keys] = await target.rows(`select count(*)::int as count from pg_constraint
    where contype = 'f' and connamespace = 'keyrail'::regnamespace and convalidated`);
  const [own] = await store.beyond(`select count(*)::int as count from pg_constraint
    where contype = 'f' and connamespace = 'keyrail'::regnamespace`);
  equal(keys?.count, own?.count, 'every foreign key is there and valid');
  deepEqual(
    await tablesChangedIn(target),
    ['mail_outbox', 'one_time_tokens', 'project_versions', 'sessions', 'tenants'],
    'every row is as it was, except for what is fenced',
  );
  const [nodes] =
    await target.rows(`select (select count(*)::int from keyrail.served_spans) as spans,
    (select count(*)::int from keyrail.recent_restores) as restores`);
  deepEqual(nodes, { spans: 0, restores: 1 }, 'nodes unknown to the backup are expected');
  const { id, takenAt } = manifest;
  const [run] = await target.rows(`select kind, passed,
    ended_at = '${takenAt}' as is_dated from keyrail.backup_runs where backup_id = '${id}'`);
  deepEqual(
    run,
    { kind: 'backup', passed: true, is_dated: true },
    'the restored database has a record of its backup',
  );

  // The target is no longer empty, so another restore is rejected.
  const again = target.use((session) => restoreBackup(session, backup, order));
  await rejects(again, /target isn't empty: table \w+ has rows/);
});

/** Tables left out of the comparison, because even their row counts change during a restore. */
const OF_SERVING = ['served_spans', 'recent_restores', 'backup_runs'];

/**
 * Returns the tables whose rows a restore changed, according to a digest that shares no code with
 * backups.
 */
async function tablesChangedIn({ rows }: Target): Promise<string[]> {
  const changed: string[] = [];
  for (const { name } of manifest.tables.filter(({ name }) => !OF_SERVING.includes(name))) {
    const digest = `select count(*)::int as rows, md5(string_agg(one::text, ' '
      order by one::text collate "C")) as digest from keyrail.${name} one`;
    const [before] = await store.beyond(digest);
    const [restored] = await rows(digest);
    equal(restored?.rows, before?.rows, name);
    if (restored?.digest !== before?.digest) changed.push(name);
  }
  return changed;
}

/** Settings for two target databases: one that doesn't exist, and one that can't be reached. */
const targets = [
  {},
  {
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nowhere',
    KEYRAIL_MASTER_KEY: Buffer.alloc(32).toString('base64'),
  },
];

test('two hundred damaged backups are all rejected before the target is touched', async () => {
  const dataDir = join(directory, 'target');
  const backups = [
    { path: backupAt(), isEncrypted: true },
    { path: join(directory, (await backUp(inStore, null)).id), isEncrypted: false },
  ];
  let refused = 0;
  for (const { path, isEncrypted } of backups) {
    const configs = targets.map((settings) => {
      const own = { KEYRAIL_DATA_DIR: dataDir, ...(isEncrypted && { KEYRAIL_BACKUP_KEY: key }) };
      const read = readConfig({ ...settings, ...own });
      ok('config' in read, JSON.stringify(read));
      return read.config;
    });
    for (const damage of damages({ path, count: 100, isEncrypted })) {
      const config = configs[refused % configs.length];
      ok(config);
      damage.make();
      await rejects(restoreCommand(config, [path]), BadBackup, damage.name);
      damage.undo();
      refused += 1;
    }
    await openBackup(path, isEncrypted ? key : null);
  }
  equal(refused, 200);
  equal(existsSync(dataDir), false);
});

test('a backup is rejected if its key is missing or a different key is given', async () => {
  await rejects(openBackup(backupAt(), null), /is encrypted\. Set KEYRAIL_BACKUP_KEY/);
  await rejects(openBackup(backupAt(), await newBackupKey()), /not encrypted with the key/);
  const plain = await backUp(inStore, null);
  const path = join(directory, plain.id);
  await openBackup(path, null);
  await rejects(
    openBackup(path, key),
    /not encrypted with the key/,
    'a missing MAC counts as a wrong MAC',
  );
  const text = await readFile(join(path, 'manifest.json'), 'utf8');
  ok(text.includes('"encryption":null'));
});

test('a backup from a newer version is rejected', async () => {
  const newer = { name: '9999_later.sql', hash: '0'.repeat(64) };
  const { format: _, ...rest } = manifest;
  const path = await mkdtemp(join(directory, 'newer-'));
  await writeManifest(path, { ...rest, migrations: [...rest.migrations, newer] }, key);
  await rejects(openBackup(path, key), /made by a newer version of Keyrail.*9999_later.sql/);
});

test('an older backup is restored and migrated', async (t) => {
  const old = await emptyEmbedded(t);
  const names = (await readMigrations()).map(({ name }) => name);
  const isOld = (name: string) => name < '0013';
  await old.use((session) =>
    inMigration(session, () => migrateWithin(session, new Set(names.filter(isOld)))),
  );
  await old.rows(`insert into keyrail.users (id, email, email_key, password_hash, created_at)
    values ('${randomUUID()}', 'Ada@example.com', 'ada@example.com', 'x', keyrail.app_now())`);
  const { id } = await backUp(old.use, null);
  const target = await emptyTarget(t);
  const backup = await openBackup(join(directory, id), null);
  const { migrated } = await target.use((session) => restoreBackup(session, backup, order));
  deepEqual(
    migrated,
    names.filter((name) => !isOld(name)),
  );
  ok(migrated.includes('0013_deployment.sql'));
  const people = 'select * from keyrail.users';
  deepEqual(await target.rows(people), await old.rows(people));
});

const LOCK_ID = 7_265_003;

test('only one backup runs at a time, and a second one leaves no files behind', {
  skip: !onPostgres && 'the embedded store allows one process',
}, async () => {
  const names = await readdir(directory);
  await withPostgresAdmin(store.url ?? '', async (other) => {
    await other.query(`begin; select pg_advisory_xact_lock(${LOCK_ID})`);
    await rejects(backUp(inStore, key), AnotherIsRunning);
  });
  deepEqual(await readdir(directory), names);
});

test('a backup that cannot read every row fails, and the error names the table', async () => {
  const policy = 'for select to kr_backup using (true)';
  const cases: [string, string, RegExp][] = [
    [
      'drop policy backup on api_keys',
      `create policy backup on api_keys ${policy}`,
      /api_keys has no policy/,
    ],
    [
      'create policy narrow on tenants as restrictive using (false)',
      'drop policy narrow on tenants',
      /tenants has a restrictive policy/,
    ],
    [
      'revoke select on users from kr_backup',
      'grant select on users to kr_backup',
      /users cannot be read/,
    ],
    ['create sequence odd', 'drop sequence odd', /odd is neither a table nor an index/],
  ];
  for (const [harm, repair, reason] of cases) {
    await store.beyond(`set search_path = keyrail; ${harm}`);
    await rejects(backUp(inStore, key), (error: Error) => {
      match(error.message, /^The backup would be incomplete: /);
      match(error.message, reason);
      return true;
    });
    await store.beyond(`set search_path = keyrail; ${repair}`);
  }
  ok((await backUp(inStore, key)).id !== randomUUID());
});
