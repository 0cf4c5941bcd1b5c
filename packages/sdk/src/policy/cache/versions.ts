// Versions of a cache file: each has its own name, and the highest one is used. With a single name,
// one process could replace another's newer version with an older one, because checking the version
// and renaming are two steps, and the other process may rename in between.
import { readdirSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { checkDirectory } from './directory.ts';
import {
  type Contents,
  isMissing,
  readSealed,
  syncPath,
  UNKNOWN_VERSION,
  versionAt,
  writeSealed,
} from './sealed-file.ts';

export type Versioned = {
  dir: string;
  /** The prefix of this cache's file names. */
  own: string;
  end: string;
  secretKey: string;
};

type Version = { version: number; path: string };

/**
 * The maximum number of times the directory is listed while newer versions keep replacing a file.
 */
const LISTINGS_MAX = 20;
const VERSION = /^\d{1,16}$/;

/** Returns the number in a name such as "own.518.end"; null for other names. */
function versionOfName(name: string, own: string, end: string): number | null {
  if (!name.startsWith(`${own}.`) || !name.endsWith(end)) return null;
  const text = name.slice(own.length + 1, -end.length);
  return VERSION.test(text) ? Number(text) : null;
}

/** Returns a file's versions, highest first. Throws if the directory is missing. */
export function versionsOf({ dir, own, end }: Versioned): Version[] {
  return readdirSync(dir)
    .flatMap((name): Version[] => {
      const version = versionOfName(name, own, end);
      return version === null ? [] : [{ version, path: join(dir, name) }];
    })
    .sort((a, b) => b.version - a.version);
}

/** A listing may miss a version that is being replaced, so an empty listing is repeated once. */
const newestOf = (file: Versioned): Version | null =>
  versionsOf(file)[0] ?? versionsOf(file)[0] ?? null;

/**
 * Returns the highest version: null if there are no files, UNKNOWN_VERSION if it cannot be trusted.
 */
export function newestVersion(file: Versioned): number | null {
  try {
    for (let listings = 0; listings < LISTINGS_MAX; listings += 1) {
      const newest = newestOf(file);
      if (!newest) return null;
      const version = versionAt(newest.path, file.secretKey);
      if (version !== null) return version === newest.version ? version : UNKNOWN_VERSION;
    }
    return UNKNOWN_VERSION;
  } catch (error) {
    return isMissing(error) ? null : UNKNOWN_VERSION;
  }
}

/**
 * Decrypts the highest version. Returns null if there are no files; throws if the version is
 * invalid.
 */
export async function readNewest(file: Versioned): Promise<Buffer | null> {
  for (let listings = 1; ; listings += 1) {
    const newest = newestOf(file);
    if (!newest) return null;
    try {
      const { version, plain } = await readSealed(newest.path, file.secretKey);
      if (version !== newest.version)
        throw new Error('its name and contents have different versions');
      return plain;
    } catch (error) {
      if (!isMissing(error) || listings === LISTINGS_MAX) throw error;
    }
  }
}

/** Adds a version, unless there is a newer one, and removes all but the newest. */
export async function writeVersion(file: Versioned, contents: Contents): Promise<void> {
  const { version, isSynced, condition } = contents;
  await checkDirectory(file.dir);
  const before = newestVersion(file) ?? UNKNOWN_VERSION;
  if (before > version) {
    condition?.done(before);
    return;
  }
  await writeSealed(join(file.dir, `${file.own}.${version}${file.end}`), contents);
  if (isSynced) await syncPath(file.dir);
  const all = versionsOf(file);
  const newest = all.find((one) => versionAt(one.path, file.secretKey) === one.version);
  await remove(all.filter((one) => one !== newest));
}

/** Syncs the highest version to disk, if the system supports it. Never rejects. */
export async function syncNewest(file: Versioned): Promise<void> {
  try {
    const newest = newestOf(file);
    if (newest) await syncPath(newest.path);
    await syncPath(file.dir);
  } catch {
    // The directory has been removed. The next write will report that.
  }
}

/** Removes all current versions; rejects if one remains. */
export async function removeVersions(file: Versioned): Promise<void> {
  await remove(versionsOf(file));
}

async function remove(versions: readonly Version[]): Promise<void> {
  for (const { path } of versions) {
    await unlink(path).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }
}
