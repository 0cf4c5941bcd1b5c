// Contract for backups made before the first release, by commits whose migrations have since been
// rewritten. Only backups from the last such commit (f1566c00) can be restored, with every row
// intact. That commit made `earlier-backup` on the embedded store, without a key, from a database
// with rows in every table: values in every column, nulls wherever they are allowed, and strings
// and numbers that are easy to get wrong.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Manifest, writeManifest } from '@keyrail/server/backup/manifest.ts';
import { openBackup } from '@keyrail/server/backup/open-backup.ts';
import { BadBackup, MANIFEST } from '@keyrail/server/backup/places.ts';
import { restoreBackup } from '@keyrail/server/backup/restore-backup.ts';
import { linesOf } from '@keyrail/server/backup/table-file.ts';
import { readMigrations } from '@keyrail/server/db/migrate.ts';
import { emptyTarget, type Target } from './backup-targets.ts';

const EARLIER = join(import.meta.dirname, 'earlier-backup');

const order = { report: () => {}, rotateSigningKeys: async () => {}, aheadOf: 0 };

/** Tables that a restore changes after it has checked all rows against the backup's digests. */
const FENCED = [
  'backup_runs',
  'invites',
  'job_leases',
  'mail_outbox',
  'one_time_tokens',
  'project_versions',
  'recent_restores',
  'served_spans',
  'sessions',
  'tenants',
  'worker_beats',
];

async function linesIn(file: string): Promise<string[]> {
  const lines: string[] = [];
  const batches = linesOf(join(EARLIER, file), null);
  for (let next = await batches.next(); !next.done; next = await batches.next()) {
    lines.push(...next.value);
  }
  return lines;
}

async function restored(target: Target, { name, columns }: Manifest['tables'][number]) {
  const texts = columns.map((column) => `${column}::text`);
  const rows = await target.rows(`select json_build_array(${texts})::text as line
    from keyrail.${name}`);
  return rows.map(({ line }) => String(line));
}

test('a backup made by the last commit before the first release is restored with every row intact', async (t) => {
  const target = await emptyTarget(t);
  const backup = await openBackup(EARLIER, null);
  const { migrated } = await target.use((session) => restoreBackup(session, backup, order));
  const later = (await readMigrations()).filter(({ name }) => name > '0013_deployment.sql');
  deepEqual(
    migrated,
    later.map(({ name }) => name),
  );
  await target.rows(`set timezone = 'UTC'`);
  const differing: string[] = [];
  for (const table of backup.manifest.tables) {
    const lines = await linesIn(table.file);
    equal(lines.length, table.rows);
    equal(table.rows > 0, true, `${table.name} has rows`);
    if (FENCED.includes(table.name)) continue;
    const found = await restored(target, table);
    if (String(found.toSorted()) !== String(lines.toSorted())) differing.push(table.name);
  }
  deepEqual(differing, []);
});

test('a backup made by any other early commit is rejected, and the error says what to do', async (t) => {
  const { manifest } = await openBackup(EARLIER, null);
  const directory = await mkdtemp(join(tmpdir(), 'kr-earlier-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  await cp(EARLIER, directory, { recursive: true });
  for (const migrations of [
    manifest.migrations.slice(0, -1),
    manifest.migrations.map((one, at) => (at === 3 ? { ...one, hash: '0'.repeat(64) } : one)),
  ]) {
    await rm(join(directory, MANIFEST));
    const { format: _, ...rest } = manifest;
    await writeManifest(directory, { ...rest, migrations }, null);
    await rejects(openBackup(directory, null), (error: Error) => {
      equal(error instanceof BadBackup, true);
      return /earlier commit.*Nothing was changed.*0044_expand_connected_nodes/.test(error.message);
    });
  }
});
