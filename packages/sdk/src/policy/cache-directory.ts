// The directory of the policy cache. It must belong to the user of this process and be closed to
// all others: the owner of a shared one could put back a copy from before a revocation.
import type { Stats } from 'node:fs';
import { lstat, mkdir, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';

export const [POLICY_END, NEWS_END] = ['.policy', '.news'];
const WHOLE_NAMES = [POLICY_END, NEWS_END];
const DIRECTORY_MODE = 0o700;
const MODE_OF_OTHERS = 0o077;
/** A file that a process began to write this long ago was left behind by a crash. */
const ABANDONED_MS = 3_600_000;
/** A file of another secret key that was not written for this long is of no use any more. */
const OUTDATED_MS = 30 * 86_400_000;

/** The files of one policy, for each secret key its own: under another they cannot be opened. */
export type Names = { ofPolicy: string; own: string };

/** Null where the system has no users of this kind. */
const ownUid = process.getuid?.() ?? null;

export const isOwn = ({ uid }: Stats): boolean => ownUid === null || uid === ownUid;

export async function makeDirectory(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: DIRECTORY_MODE });
  await checkDirectory(dir);
}

/** Throws when it must not be used. */
export async function checkDirectory(dir: string): Promise<void> {
  const found = await lstat(dir);
  if (!found.isDirectory()) throw new Error('its directory is a link, or none at all');
  if (!isOwn(found)) throw new Error('its directory belongs to another user');
  if (ownUid !== null && (found.mode & MODE_OF_OTHERS) !== 0) {
    throw new Error('its directory is open to other users; its mode must be 0700');
  }
}

/** Removes what a crash, or a node with another secret key, left behind long ago. */
export async function sweep(dir: string, { ofPolicy, own }: Names, now: number): Promise<void> {
  for (const name of await readdir(dir)) {
    if (!name.startsWith(ofPolicy) || WHOLE_NAMES.some((end) => name === own + end)) continue;
    const isWhole = WHOLE_NAMES.some((end) => name.endsWith(end));
    await removeOlder(join(dir, name), now - (isWhole ? OUTDATED_MS : ABANDONED_MS));
  }
}

/** A journal without its policy; a young one may be that of a policy which is being written. */
export const removeAbandoned = (path: string, now: number): Promise<void> =>
  removeOlder(path, now - ABANDONED_MS);

async function removeOlder(path: string, thanMs: number): Promise<void> {
  const found = await lstat(path).catch(() => null); // another process may be sweeping as well
  if (found && found.mtimeMs < thanMs) await unlink(path).catch(() => {});
}
