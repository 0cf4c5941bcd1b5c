// An unencrypted backup could have been written by anyone.
import { deepEqual, rejects } from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { readMigrations } from '../db/migrate.ts';
import { writeManifest } from './manifest.ts';
import { openBackup } from './open-backup.ts';
import { digestOf, linesOf } from './table-file.ts';

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'kr-backup-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function manifestNaming(directory: string, file: string): Promise<void> {
  const digest = await digestOf(join(directory, 'users.jsonl.zst'));
  const content = { rows: 0, contentBytes: 0, contentSha256: '' };
  const migrations = (await readMigrations()).map(({ name, hash }) => ({ name, hash }));
  const manifest = {
    id: '20261116T130500Z-1f0c2a9b',
    takenAt: '2026-11-16T13:05:00.000Z',
    keyrail: '0.1.0',
    store: 'postgres' as const,
    database: '15',
    encryption: null,
    masterKeyMark: '',
    migrations,
    tables: [{ name: 'users', columns: [], file, ...digest, ...content }],
    chains: [],
    anchors: [],
  };
  await rm(join(directory, 'manifest.json'), { force: true });
  await writeManifest(directory, manifest, null);
}

test('a backup that lists files outside its directory is rejected', async (t) => {
  const directory = await folder(t);
  await writeFile(join(directory, 'users.jsonl.zst'), zstdCompressSync('[]\n'));
  await manifestNaming(directory, 'users.jsonl.zst');
  await openBackup(directory, null);
  for (const file of [
    '../users.jsonl.zst',
    '/etc/passwd',
    'a/../users.jsonl.zst',
    './users.jsonl.zst',
    '..',
    '.',
    '',
    'users.jsonl.zst\0',
    'a\\users',
  ]) {
    await manifestNaming(directory, file);
    await rejects(openBackup(directory, null), /lists a file outside the backup/, file);
  }
});

test('an endless compressed line does not exhaust memory', async (t) => {
  const LINE_MAX = 1000;
  const path = join(await folder(t), 'users.jsonl.zst');
  const read = async () => {
    const lines: string[] = [];
    for await (const batch of linesOf(path, null, LINE_MAX)) lines.push(...batch);
    return lines;
  };
  await writeFile(path, zstdCompressSync('x'.repeat(64 * 1_048_576)));
  await rejects(read(), /has a line that is too long/);
  const fitting = Array.from({ length: 500 }, () => 'y'.repeat(LINE_MAX));
  await writeFile(path, zstdCompressSync(`${fitting.join('\n')}\n`));
  deepEqual(await read(), fitting);
});
