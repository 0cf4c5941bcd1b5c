// Migrates a database: applies numbered SQL files once each, in order. It may run repeatedly, and
// in several processes at the same time. Files that were changed after being applied are rejected.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { packageFolder } from '../base/package-folder.ts';
import { EARLIER, isEarlier, MOVE_IT } from './earlier-schema.ts';
import { sqlState } from './faults.ts';
import { refuseUnfinishedRestore } from './restore-marker.ts';
import { allRoles, inThisDatabase } from './roles.ts';

const directory = join(packageFolder, 'src/db/migrations');

// The ID of the advisory lock: an arbitrary number that must stay the same in every version.
const LOCK_ID = 7_265_001;

type Migration = { name: string; text: string; hash: string };

export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(directory, name), 'utf8');
      return { name, text, hash: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

/**
 * The SQL that every migration runs before the numbered files. Afterwards, the session's role is
 * the owner.
 */
export const readRoleSetup = (): Promise<string[]> =>
  Promise.all(['roles.sql', 'adopt.sql'].map((name) => readFile(join(directory, name), 'utf8')));

/**
 * While a migration waits for a lock on a table, every later statement on that table waits too. So
 * a migration gives up after two seconds and is retried as a whole. It is also retried after a
 * deadlock with a request that locks the same tables in a different order.
 */
const LOCK_MS_MAX = 2000;
const LOCK_PAUSE_MS = 1000;
const LOCK_ATTEMPTS_MAX = 30;

/** Applies the migrations that the database doesn't have yet, and returns their file names. */
export async function migrate(admin: pg.ClientBase): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inMigration(admin, async () => {
        await admin.query("select set_config('lock_timeout', $1, true)", [String(LOCK_MS_MAX)]);
        await refuseUnfinishedRestore(admin);
        return migrateWithin(admin);
      });
    } catch (error) {
      if (!LOCK_FAULTS.has(sqlState(error) ?? '')) throw error;
      if (attempt === LOCK_ATTEMPTS_MAX) throw stillLocked(error);
    }
    await sleep(LOCK_PAUSE_MS);
  }
}

/** The errors for a lock timeout and for a deadlock. */
const LOCK_FAULTS = new Set(['55P03', '40P01']);

const stillLocked = (cause: unknown): Error =>
  new Error(
    "Another program's long-running transaction holds a lock the migration needs. " +
      'Nothing was changed. End that transaction, then run the migration again.',
    { cause },
  );

/** Runs a transaction that cannot overlap with other migrations or restores of this database. */
export async function inMigration<T>(admin: pg.ClientBase, body: () => Promise<T>): Promise<T> {
  await admin.query('begin');
  try {
    await admin.query('select pg_advisory_xact_lock($1)', [LOCK_ID]);
    const result = await body();
    await admin.query('commit');
    return result;
  } catch (error) {
    // If the connection was lost, the rollback fails too; the first error is the one to report.
    await admin.query('rollback').catch(() => {});
    throw error;
  }
}

/**
 * Applies missing migrations inside a transaction: all of them, or only those in `wanted`. The
 * session's role remains the schema's owner until the transaction ends.
 */
export async function migrateWithin(
  admin: pg.ClientBase,
  wanted?: ReadonlySet<string>,
): Promise<string[]> {
  const migrations = await readMigrations();
  await admin.query("select set_config('kr.roles', $1, true)", [allRoles.join(',')]);
  await admin.query('set local role none');
  for (const text of await readRoleSetup()) await admin.query(text);
  const withWholeNames = await inThisDatabase(admin);
  await admin.query('set local search_path = keyrail');
  const known = migrations.filter(({ name }) => wanted?.has(name) ?? true);
  return applyMissing(admin, known, withWholeNames);
}

async function applyMissing(
  admin: pg.ClientBase,
  migrations: Migration[],
  withWholeNames: (text: string) => string,
): Promise<string[]> {
  await admin.query(`create table if not exists migrations (
    name text primary key, hash text not null, applied_at timestamptz not null)`);
  const known = await admin.query<{ name: string; hash: string }>(
    'select name, hash from migrations',
  );
  const hashes = new Map(known.rows.map((row) => [row.name, row.hash]));
  refuseUnknown(migrations, hashes);
  const applied: string[] = [];
  for (const { name, text, hash } of migrations) {
    if (hashes.has(name)) continue;
    await admin.query(withWholeNames(text));
    await admin.query(
      'insert into migrations (name, hash, applied_at) values ($1, $2, clock_timestamp())',
      [name, hash],
    );
    applied.push(name);
  }
  return applied;
}

/**
 * Whether the previous release can run, and even restart, on a database with this migration,
 * because the migration only adds things. A test checks each file with such a name.
 */
export const isExpansion = (name: string): boolean => /^\d{4}_expand_/.test(name);

function refuseUnknown(migrations: Migration[], hashes: Map<string, string>): void {
  if (isEarlier([...hashes.keys()])) throw new Error(`${EARLIER} Nothing was changed. ${MOVE_IT}`);
  for (const { name, hash } of migrations) {
    const recorded = hashes.get(name);
    if (recorded !== undefined && recorded !== hash) {
      throw new Error(`Migration ${name} has been changed since it was applied to this database.`);
    }
  }
  const files = new Set(migrations.map(({ name }) => name));
  const newer = [...hashes.keys()].filter((name) => !files.has(name) && !isExpansion(name));
  if (newer.length > 0) {
    throw new Error(
      `The database was migrated by a newer version of Keyrail (${newer.join(', ')}). ` +
        'Run that version, or a later one.',
    );
  }
}
