// PGlite takes seconds to create a database, because it runs initdb. So the build creates one empty
// database, and new directories get a copy of it. If the build has not run, PGlite runs initdb.
import { constants, existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFolder } from '../../base/package-folder.ts';

/** PGlite treats a directory with this file as a database, so this file is copied last. */
const LAST = 'PG_VERSION';

/** The empty database for this version of PGlite, created by `scripts/build-database.mjs`. */
export const emptyDatabase = join(packageFolder, `dist/empty-database-${pgliteVersion()}`);

/**
 * Fills a directory that has no database. If the process is killed, the next start begins from
 * scratch.
 */
export async function copyEmptyDatabase(directory: string, from = emptyDatabase): Promise<void> {
  if (existsSync(join(directory, LAST)) || !existsSync(join(from, LAST))) return;
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name).slice(join(from, '/').length);
    if (path === LAST) continue;
    if (entry.isDirectory()) await mkdir(join(directory, path), { recursive: true, mode: 0o700 });
    else await copy(from, directory, path);
  }
  await copy(from, directory, LAST);
}

async function copy(from: string, to: string, path: string): Promise<void> {
  await copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE);
}

function pgliteVersion(): string {
  const about = new URL('../package.json', import.meta.resolve('@electric-sql/pglite'));
  return JSON.parse(readFileSync(about, 'utf8')).version;
}
