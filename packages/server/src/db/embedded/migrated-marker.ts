// PGlite treats a directory without PG_VERSION as new and overwrites its files. A marker file in
// every migrated directory distinguishes a directory that has lost files (a partial copy or
// restore) from one whose first start was killed.
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const MARKER = 'keyrail-migrated';
const TEXT =
  'This directory contains a Keyrail database. Keyrail does not start if its files are missing.\n';

/** Error codes for a full or read-only disk. The marker is then written by a later start. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

export async function refuseWithoutFiles(directory: string): Promise<void> {
  if (!(await exists(join(directory, MARKER)))) return;
  if (await exists(join(directory, 'PG_VERSION'))) return;
  throw new Error(
    `The embedded database in ${directory} is missing files (PG_VERSION). Nothing was changed. ` +
      'Restore the directory from a backup, or move it aside to start with a new database.',
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
