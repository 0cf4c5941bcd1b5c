// The policy cache's directory and file names. The directory must belong to this process's user and
// be inaccessible to others, because another user could restore a copy from before a revocation.
// File names differ for each policy and each secret key.
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, mkdir, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Env } from '../../api/context.ts';
import type { Include } from '../../api/options.ts';
import type { Belonging } from './format.ts';

export const POLICY_END = '.policy';
export const JOURNAL_END = '.news';
export const KEYS_END = '.keys';
const WHOLE_NAMES = [POLICY_END, JOURNAL_END, KEYS_END];
const DIRECTORY_MODE = 0o700;
const MODE_OF_OTHERS = 0o077;
/** A partial file this old was left behind by a crash. */
const ABANDONED_MS = 3_600_000;
/** A file for a different secret key is no longer in use if it was last written this long ago. */
const OUTDATED_MS = 30 * 86_400_000;

/** File name prefixes: `ofPolicy` for all secret keys, `own` for this node's secret key only. */
type Names = { ofPolicy: string; own: string };

export type CacheNaming = {
  secretKey: string;
  projectId: string;
  env: Env | null;
  tenantIds: readonly string[];
  include?: readonly Include[];
  understands?: readonly string[];
  /** Whether the cache contains signed responses. */
  isProven?: boolean;
};

/**
 * Options left at their defaults are omitted, so adding an option to the SDK doesn't rename
 * existing caches.
 */
export const belongingOf = (naming: CacheNaming): Belonging => {
  const { include = [], understands = [], isProven = false } = naming;
  const { projectId, env, tenantIds } = naming;
  return {
    projectId,
    env,
    tenantIds,
    ...(include.length > 0 && { include }),
    ...(understands.length > 0 && { understands }),
    ...(isProven && { isProven }),
  };
};

/**
 * The features that the node understands are not part of the name. After an upgrade or downgrade of
 * the SDK, the node must find the earlier files and discard them, not leave them for a later start.
 */
export function namesOf(naming: CacheNaming): Names {
  const belonging = belongingOf({ ...naming, understands: [] });
  const ofPolicy = `keyrail-${hexOf(JSON.stringify(belonging), 16)}`;
  const ofKey = hexOf(`keyrail policy cache ${naming.secretKey}`, 8);
  return { ofPolicy, own: `${ofPolicy}-${ofKey}` };
}

const hexOf = (text: string, chars: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, chars);

/** This process's user ID; null on systems without user IDs, such as Windows. */
const ownUid = process.getuid?.() ?? null;

export const isOwn = ({ uid }: Stats): boolean => ownUid === null || uid === ownUid;

export async function makeDirectory(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: DIRECTORY_MODE });
  await checkDirectory(dir);
}

/** Throws if the directory must not be used. */
export async function checkDirectory(dir: string): Promise<void> {
  const found = await lstat(dir);
  if (!found.isDirectory())
    throw new Error('its directory path is a symbolic link or is not a directory');
  if (!isOwn(found)) throw new Error('its directory belongs to another user');
  if (ownUid !== null && (found.mode & MODE_OF_OTHERS) !== 0) {
    throw new Error('its directory is open to other users; its mode must be 0700');
  }
}

/** Removes old files left behind by a crash or by a node with a different secret key. */
export async function sweep(dir: string, { ofPolicy, own }: Names, now: number): Promise<void> {
  // An earlier SDK gave all versions of a file the same name. If that SDK is installed again, it
  // must not find its old files, because they lack later revocations.
  for (const end of [POLICY_END, JOURNAL_END]) {
    await removeOlder(join(dir, own + end), Number.POSITIVE_INFINITY);
  }
  for (const name of await readdir(dir)) {
    const isWhole = WHOLE_NAMES.some((end) => name.endsWith(end));
    if (!name.startsWith(ofPolicy) || (isWhole && name.startsWith(`${own}.`))) continue;
    await removeOlder(join(dir, name), now - (isWhole ? OUTDATED_MS : ABANDONED_MS));
  }
}

/**
 * Removes old journals that lack a policy file. A recent journal stays, because its policy file may
 * be about to be written.
 */
export async function removeAbandoned(paths: readonly string[], now: number): Promise<void> {
  for (const path of paths) await removeOlder(path, now - ABANDONED_MS);
}

async function removeOlder(path: string, thanMs: number): Promise<void> {
  const found = await lstat(path).catch(() => null); // another process may have removed the file
  if (found && found.mtimeMs < thanMs) await unlink(path).catch(() => {});
}
