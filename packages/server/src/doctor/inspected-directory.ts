// Inspects the embedded database in a data directory that no server is using.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import pg from 'pg';
import { DirectoryInUse, lockDirectory } from '../db/embedded/directory-lock.ts';
import { openLite } from '../db/embedded/embedded.ts';
import { refuseWithoutFiles } from '../db/embedded/migrated-marker.ts';
import { type Inspection, inspectionOf } from './inspection.ts';

/**
 * `none`: there is no database yet. `in use`: another process is using it, so it can't be opened.
 */
type Unopened = 'none' | 'in use';

/** Keeps the directory locked until `use` has finished. */
export async function withInspectedDirectory<T>(
  dataDir: string,
  use: (inspection: Inspection) => Promise<T>,
): Promise<{ result: T } | { unopened: Unopened }> {
  const directory = join(dataDir, 'database');
  await refuseWithoutFiles(directory);
  if (!existsSync(join(directory, 'PG_VERSION'))) return { unopened: 'none' };
  const lock = await lockDirectory(directory).catch((error: unknown) => {
    if (error instanceof DirectoryInUse) return null;
    throw error;
  });
  if (lock === null) return { unopened: 'in use' };
  try {
    const lite = await openLite(directory);
    const pool = new pg.Pool({ ...createPgConfig(lite), max: 1 });
    try {
      const client = await pool.connect();
      const result = await use(inspectionOf('embedded', client)).finally(() => client.release());
      return { result };
    } finally {
      await pool.end();
      await lite.close();
    }
  } finally {
    await lock.release();
  }
}
