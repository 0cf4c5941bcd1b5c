// Before the first release the migrations were rewritten as one set. A database of an earlier
// commit has another history, and is not migrated: it moves by a backup. The last earlier schema
// was the same as that of the new set, so its backups can be restored.
import { createHash } from 'node:crypto';

type Applied = { name: string; hash: string };

/** Every database of the present history has applied the first file. The last one ends the set. */
const FIRST = '0001_clock_reach_and_guards.sql';
const LAST = '0013_deployment.sql';

/** SHA-256 of the last earlier set: a line for each file, with its name and its hash. */
const LAST_EARLIER = 'd68f93fdf4f55e948087edd6af524f04e9396477d8fe9a987e490d8e050dd3cc';
/** The last file of that set. */
export const LAST_EARLIER_FILE = '0044_expand_connected_nodes.sql';

export const isEarlier = (names: readonly string[]): boolean =>
  names.length > 0 && !names.includes(FIRST);

export const EARLIER =
  'The database was made by an earlier commit of Keyrail, before the first release. Its migrations ' +
  'have been rewritten since, so this version cannot use it.';

export const MOVE_IT =
  'To keep its data, run keyrail-server backup with the commit that made it, and then ' +
  'keyrail-server restore with this version, into a new database (DATABASE_URL) or an empty ' +
  'directory (KEYRAIL_DATA_DIR).';

/** The migrations of this version that make the schema of a backup: for most backups, their own. */
export function presentNames(applied: readonly Applied[], files: readonly Applied[]): Applied[] {
  const lines = applied.map(({ name, hash }) => `${name} ${hash}`).join('\n');
  const digest = createHash('sha256').update(lines).digest('hex');
  return digest === LAST_EARLIER ? files.filter(({ name }) => name <= LAST) : [...applied];
}
