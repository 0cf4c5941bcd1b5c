// Copying the empty database: a new directory gets a copy, a used directory keeps its files, and
// the next start completes an interrupted copy.
import { deepEqual, equal } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openLite } from './embedded.ts';
import { copyEmptyDatabase, emptyDatabase } from './new-database.ts';

async function newDirectory(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'kr-new-database-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

const answersIn = async (directory: string): Promise<unknown> => {
  const lite = await openLite(directory);
  try {
    return (await lite.query('select count(*)::int as tables from pg_tables')).rows;
  } finally {
    await lite.close();
  }
};

const namesIn = async (directory: string) => (await readdir(directory, { recursive: true })).sort();

test('the build created an empty database that every user can read', async () => {
  equal((await stat(join(emptyDatabase, 'PG_VERSION'))).mode & 0o777, 0o644);
  equal((await stat(join(emptyDatabase, 'global/pg_control'))).mode & 0o777, 0o644);
});

test('a new directory gets a copy, and it can be opened', async (t) => {
  const directory = await newDirectory(t);
  await copyEmptyDatabase(directory);
  deepEqual(await namesIn(directory), await namesIn(emptyDatabase));
  const [counted] = (await answersIn(directory)) as { tables: number }[];
  equal((counted?.tables ?? 0) > 50, true);
});

test('if a copy is interrupted before its last file, the next start copies everything again', async (t) => {
  const directory = await newDirectory(t);
  await copyEmptyDatabase(directory);
  await rm(join(directory, 'PG_VERSION'));
  await rm(join(directory, 'base/1'), { recursive: true });
  await writeFile(join(directory, 'global/pg_control'), 'half');
  await copyEmptyDatabase(directory);
  deepEqual(await namesIn(directory), await namesIn(emptyDatabase));
  const file = 'global/pg_control';
  deepEqual(await readFile(join(directory, file)), await readFile(join(emptyDatabase, file)));
});

test('a directory with a database keeps its files', async (t) => {
  const directory = await newDirectory(t);
  await writeFile(join(directory, 'PG_VERSION'), '17\n');
  await copyEmptyDatabase(directory);
  deepEqual(await namesIn(directory), ['PG_VERSION']);
});

test('if the build has not run, nothing is copied', async (t) => {
  const directory = await newDirectory(t);
  await copyEmptyDatabase(directory, join(directory, 'missing'));
  equal(existsSync(join(directory, 'PG_VERSION')), false);
});
