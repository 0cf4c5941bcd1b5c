// Compares a database's migrations with this version's.

import { isEarlier } from '../db/earlier-schema.ts';
import { isExpansion, readMigrations } from '../db/migrate.ts';
import type { Inspection } from './inspection.ts';

export type MigrationState = {
  isNew: boolean;
  /**
   * True if a commit from before the first release created the database, with different migrations.
   * The lists below are then empty.
   */
  isEarlier: boolean;
  /**
   * True if the database is a copy of another one and its role names still have the original's
   * suffix.
   */
  isCopy: boolean;
  /** Migrations in this version that haven't been applied yet. */
  pending: string[];
  /** Migrations applied by a newer version that this version may not be compatible with. */
  newer: string[];
  /** Migrations whose files have changed since they were applied. */
  changed: string[];
};

const NOTHING: MigrationState = {
  isNew: false,
  isEarlier: false,
  isCopy: false,
  pending: [],
  newer: [],
  changed: [],
};

export async function compareMigrations(inspection: Inspection): Promise<MigrationState> {
  const [{ known } = { known: false }] = await inspection.query<{ known: boolean }>(
    `select to_regclass('keyrail.migrations') is not null as known`,
  );
  const files = await readMigrations();
  if (!known) {
    const pending = files.map(({ name }) => name);
    return { ...NOTHING, isNew: true, pending };
  }
  const suffix = await inspection.roleSuffix();
  // Only the schema's owner can read the migrations table.
  const rows = await inspection.queryAs<{ name: string; hash: string }>(
    'kr_owner',
    'select name, hash from migrations order by name',
  );
  const applied = new Map(rows.map(({ name, hash }) => [name, hash]));
  if (isEarlier([...applied.keys()])) return { ...NOTHING, isEarlier: true };
  const ours = new Set(files.map(({ name }) => name));
  return {
    ...NOTHING,
    isCopy: suffix.found !== suffix.expected,
    pending: files.map(({ name }) => name).filter((name) => !applied.has(name)),
    newer: [...applied.keys()].filter((name) => !ours.has(name) && !isExpansion(name)),
    changed: files
      .filter(({ name, hash }) => applied.has(name) && applied.get(name) !== hash)
      .map(({ name }) => name),
  };
}
