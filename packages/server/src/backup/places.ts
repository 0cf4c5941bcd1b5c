// The directory that contains all backups: how its entries are named, which backups exist, and
// which to remove.
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

export const MANIFEST = 'manifest.json';

/** Directories with this prefix are incomplete backups. */
export const PART_PREFIX = '.part-';

/** Directories with this prefix are backups that are being removed. */
export const GONE_PREFIX = '.gone-';

/**
 * A lock that a running backup's transaction holds. It is released when the process exits, even if
 * the process crashes.
 */
export const BACKUP_LOCK = 'select pg_try_advisory_xact_lock(7265003) as ours';

/** IDs sort by time: `20261116T130500Z-1f0c2a9b`. */
export const isBackupId = (text: string): boolean => /^\d{8}T\d{6}Z-[0-9a-f]{8}$/.test(text);

/** A backup that must not be used. The message names the file and says what to do. */
export class BadBackup extends Error {}

/** Returns the IDs of all complete backups, oldest first. */
export async function listBackups(into: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of (await namesIn(into)).filter(isBackupId).toSorted()) {
    if (await modifiedMs(join(into, name, MANIFEST))) found.push(name);
  }
  return found;
}

export async function newestBackup(into: string): Promise<string> {
  const newest = (await listBackups(into)).at(-1);
  if (newest === undefined) {
    throw new BadBackup(`There are no backups in ${into} (KEYRAIL_BACKUP_DIR).`);
  }
  return join(into, newest);
}

/** Removes all but the newest backups, and returns the IDs of those removed. */
export async function removeOldBackups(into: string, keep: number): Promise<string[]> {
  const old = (await listBackups(into)).slice(0, -keep);
  for (const id of old) await rm(join(into, id), { recursive: true, force: true });
  return old;
}

/**
 * Renames incomplete backups, so that processes still writing to them can't complete them. Call
 * while holding the backup lock.
 */
export async function retireParts(into: string): Promise<void> {
  for (const name of (await namesIn(into)).filter((each) => each.startsWith(PART_PREFIX))) {
    await rename(join(into, name), join(into, GONE_PREFIX + name.slice(PART_PREFIX.length)));
  }
}

/** Removes files left behind by processes that were killed. */
export async function removeLeftovers(
  directory: string,
  { prefix, beforeMs }: { prefix: string; beforeMs: number },
): Promise<void> {
  for (const name of (await namesIn(directory)).filter((each) => each.startsWith(prefix))) {
    const sinceMs = await modifiedMs(join(directory, name));
    if (sinceMs === null || sinceMs > beforeMs) continue;
    await rm(join(directory, name), { recursive: true, force: true });
  }
}

const namesIn = (directory: string): Promise<string[]> =>
  readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });

const modifiedMs = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    },
  );
