// The migrations were rewritten as one set before the first release. A database from an earlier
// commit has a different history and isn't migrated; its data is moved with a backup. The last
// schema before the rewrite is the same as the new one, so backups of it can be restored.
import { createHash } from 'node:crypto';

type Applied = { name: string; hash: string };

/**
 * The first and last files of the set. Every database with the current history has applied the
 * first file.
 */
const FIRST = '0001_clock_reach_and_guards.sql';
const LAST = '0013_deployment.sql';

/**
 * The SHA-256 of the list of migrations before the rewrite: one line per file, with its name and
 * hash.
 */
const LAST_EARLIER = 'd68f93fdf4f55e948087edd6af524f04e9396477d8fe9a987e490d8e050dd3cc';
/** The last migration before the rewrite. */
export const LAST_EARLIER_FILE = '0044_expand_connected_nodes.sql';

export const isEarlier = (names: readonly string[]): boolean =>
  names.length > 0 && !names.includes(FIRST);

export const EARLIER =
  'This database was created by an earlier commit of Keyrail, before the first release. Its ' +
  'migrations have been rewritten since, so this version cannot use it.';

export const MOVE_IT =
  'To keep its data, run keyrail-server backup with the commit that created it, and then ' +
  'keyrail-server restore with this version, into a new database (DATABASE_URL) or an empty ' +
  'directory (KEYRAIL_DATA_DIR).';

/**
 * Returns the migrations in this version that create the same schema as a backup's migrations.
 * Except for backups from before the rewrite, these are the backup's own migrations.
 */
export function presentNames(applied: readonly Applied[], files: readonly Applied[]): Applied[] {
  const lines = applied.map(({ name, hash }) => `${name} ${hash}`).join('\n');
  const digest = createHash('sha256').update(lines).digest('hex');
  return digest === LAST_EARLIER ? files.filter(({ name }) => name <= LAST) : [...applied];
}
