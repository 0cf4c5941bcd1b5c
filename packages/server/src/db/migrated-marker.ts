// PGlite takes a directory without PG_VERSION for a new one, and makes a new database over what is
// there. A directory that was ever migrated bears a marker, so that one which has lost its files (a
// partial copy or restore) is told from the remains of a first start that was killed.
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const MARKER = 'keyrail-migrated';
const TEXT =
  'A Keyrail database lives in this directory. Without its files the start is refused.\n';

/** Codes of a disk that takes no more: the marker is written at a later start then. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

export async function refuseWithoutFiles(directory: string): Promise<void> {
  if (!(await exists(join(directory, MARKER)))) return;
  if (await exists(join(directory, 'PG_VERSION'))) return;
  throw new Error(
    `The embedded database in ${directory} has lost its files: PG_VERSION is missing. Nothing was ` +
      'changed. Put the directory back from a backup. To begin with an empty database, move it away.',
  );
}

export async function markMigrated(directory: string): Promise<void> {
  const path = join(directory, MARKER);
  if (await exists(path)) return;
  await writeFile(path, TEXT, { mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (!FULL.has(error.code ?? '')) throw error;
  });
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
