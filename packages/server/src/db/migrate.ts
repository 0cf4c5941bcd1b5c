// Brings a database to this version: numbered SQL files, each applied once, in order. Safe to run
// again and from several processes at once; a file that was changed after it ran is refused.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { allRoles, inThisDatabase } from './roles.ts';

const directory = join(import.meta.dirname, 'migrations');

// Any constant will do, as long as every Keyrail uses the same.
const LOCK_ID = 7_265_001;

export type Migration = { name: string; text: string; hash: string };

export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(directory, name), 'utf8');
      return { name, text, hash: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

/** Run before the numbered files at every migration; leaves the owner's role on. */
export const readRoleSetup = (): Promise<string[]> =>
  Promise.all(['roles.sql', 'adopt.sql'].map((name) => readFile(join(directory, name), 'utf8')));

/** Applies what is missing and returns the names of what it applied. */
export async function migrate(admin: pg.ClientBase): Promise<string[]> {
  const migrations = await readMigrations();
  const roleSetup = await readRoleSetup();
  await admin.query('begin');
  try {
    await admin.query('select pg_advisory_xact_lock($1)', [LOCK_ID]);
    await admin.query("select set_config('kr.roles', $1, true)", [allRoles.join(',')]);
    for (const text of roleSetup) await admin.query(text);
    const withWholeNames = await inThisDatabase(admin);
    await admin.query('set local search_path = keyrail');
    const applied = await applyMissing(admin, migrations, withWholeNames);
    await admin.query('commit');
    return applied;
  } catch (error) {
    // On a connection that was cut there is nothing to roll back: the first reason counts.
    await admin.query('rollback').catch(() => {});
    throw error;
  }
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

function refuseUnknown(migrations: Migration[], hashes: Map<string, string>): void {
  for (const { name, hash } of migrations) {
    const recorded = hashes.get(name);
    if (recorded !== undefined && recorded !== hash) {
      throw new Error(`Migration ${name} was changed after it had been applied here.`);
    }
  }
  const files = new Set(migrations.map(({ name }) => name));
  const newer = [...hashes.keys()].filter((name) => !files.has(name));
  if (newer.length > 0) {
    throw new Error(
      `The database was migrated by a newer Keyrail (${newer.join(', ')}). ` +
        'Run that version, or a later one.',
    );
  }
}
