// Opens a backup for a restore. Checks everything that could make a backup unusable (damage, a
// wrong key, a newer version) before the target is touched.
import { join } from 'node:path';
import { isEarlier, LAST_EARLIER_FILE, presentNames } from '../db/earlier-schema.ts';
import { readMigrations } from '../db/migrate.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { BadBackup, MANIFEST } from './places.ts';
import { digestOf } from './table-file.ts';

export type OpenBackup = {
  directory: string;
  key: string | null;
  manifest: Manifest;
  /** The names of the migrations that create the backup's schema. */
  migrations: ReadonlySet<string>;
};

export async function openBackup(directory: string, key: string | null): Promise<OpenBackup> {
  const manifest = await readManifest(directory, key);
  const migrations = await migrationsOf(manifest);
  for (const { file } of manifest.tables) refuseOutside(directory, file);
  for (const { file, bytes, sha256 } of manifest.tables) {
    const path = join(directory, file);
    const found = await digestOf(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new BadBackup(`${path} is missing. Nothing was changed. Choose another backup.`);
    });
    if (found.bytes === bytes && found.sha256 === sha256) continue;
    throw new BadBackup(
      `${path} is damaged: it does not match its hash. Nothing was changed. Choose another backup.`,
    );
  }
  return { directory, key, manifest, migrations };
}

/**
 * Without a key, anyone could have written the manifest, so it may only list files in its own
 * directory.
 */
function refuseOutside(directory: string, file: unknown): void {
  if (typeof file === 'string' && /^[a-z][a-z0-9_.]{0,99}$/.test(file)) return;
  throw new BadBackup(
    `${join(directory, MANIFEST)} lists a file outside the backup. Nothing was changed. Choose ` +
      'another backup.',
  );
}

async function migrationsOf(manifest: Manifest): Promise<Set<string>> {
  const { id, keyrail } = manifest;
  const files = await readMigrations();
  const migrations = presentNames(manifest.migrations, files);
  const names = migrations.map(({ name }) => name);
  if (isEarlier(names)) {
    throw new BadBackup(
      `Backup ${id} was made by an earlier commit of Keyrail, with a schema that this version does ` +
        'not support. Nothing was changed. Restore it with the commit that made it, run the last ' +
        `commit with the migration ${LAST_EARLIER_FILE} on that database, and take a backup there.`,
    );
  }
  const known = new Map(files.map(({ name, hash }) => [name, hash]));
  const newer = names.filter((name) => !known.has(name));
  if (newer.length > 0) {
    throw new BadBackup(
      `Backup ${id} was made by a newer version of Keyrail, ${keyrail} (${newer.join(', ')}). ` +
        'Nothing was changed. Restore it with that version, or a later one.',
    );
  }
  const other = migrations.find(({ name, hash }) => known.get(name) !== hash);
  if (other === undefined) return new Set(names);
  throw new BadBackup(`Backup ${id} was made with a different version of migration ${other.name}.`);
}
