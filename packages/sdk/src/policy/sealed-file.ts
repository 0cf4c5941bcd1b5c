// A sealed file on the disk (see cache-form.ts): readable by its owner alone, replaced in one step,
// and never by what is older than what stands there.
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, renameSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  FRONT_BYTES,
  frontOf,
  opener,
  SALT_BYTES,
  sealer,
  TAG_BYTES,
  versionIn,
} from './cache-form.ts';

export const [POLICY_END, NEWS_END] = ['.policy', '.news'];
const WHOLE_NAMES = [POLICY_END, NEWS_END];
const FILE_BYTES_MAX = 2 ** 31;
/** Below every version. */
const NONE = -1;
const READ_BYTES = 1024 * 1024;
/** A file that somebody began and did not finish so long ago was left behind. */
const ABANDONED_MS = 3_600_000;
/** One under a secret key that nobody has any more. */
const OUTDATED_MS = 30 * 86_400_000;

/** The files of one policy, for each secret key its own: under another they cannot be opened. */
export type Names = { ofPolicy: string; own: string };

/** Makes the directory, and sweeps up what a crash, or another secret key, left behind. */
export async function prepare(dir: string, { ofPolicy, own }: Names, now: number): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  for (const name of await readdir(dir)) {
    if (!name.startsWith(ofPolicy) || WHOLE_NAMES.some((end) => name === own + end)) continue;
    const mostMs = WHOLE_NAMES.some((end) => name.endsWith(end)) ? OUTDATED_MS : ABANDONED_MS;
    const left = join(dir, name);
    const found = await stat(left).catch(() => null); // another may be sweeping as well
    if (found && now - found.mtimeMs > mostMs) await unlink(left).catch(() => {});
  }
}

/** The plain text, or null when there is no file. Throws when anything at all is wrong with it. */
export async function readSealed(path: string, secretKey: string): Promise<Buffer | null> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (Object(error).code === 'ENOENT') return null;
    throw error;
  });
  if (!file) return null;
  try {
    const { size } = await file.stat();
    const sealedBytes = size - FRONT_BYTES - TAG_BYTES;
    if (sealedBytes <= 0 || size > FILE_BYTES_MAX) throw new Error('it has no sensible size');
    const front = await readAt(file, 0, FRONT_BYTES);
    if (versionIn(front) === null) throw new Error('it is not a policy cache');
    const decipher = opener(secretKey, front);
    decipher.setAuthTag(await readAt(file, FRONT_BYTES + sealedBytes, TAG_BYTES));
    const plain = Buffer.alloc(sealedBytes);
    for (let at = 0; at < sealedBytes; at += READ_BYTES) {
      const piece = await readAt(file, FRONT_BYTES + at, Math.min(READ_BYTES, sealedBytes - at));
      decipher.update(piece).copy(plain, at);
    }
    decipher.final();
    return plain;
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead !== length) throw new Error('it is cut short');
  return buffer;
}

export type Contents = {
  secretKey: string;
  version: number;
  /** Of bounded size each. */
  pieces: readonly Uint8Array[];
};

/** Another process may share the file: what is newer in it stays. Says which version is there. */
export async function writeSealed(path: string, contents: Contents): Promise<number> {
  const { secretKey, version, pieces } = contents;
  const before = versionAt(path);
  if (before > version) return before;
  const part = `${path}.${randomBytes(8).toString('hex')}`;
  const front = frontOf(randomBytes(SALT_BYTES), version);
  const cipher = sealer(secretKey, front);
  try {
    const file = await open(part, 'wx', 0o600);
    try {
      await file.appendFile(front);
      for (const piece of pieces) await file.appendFile(cipher.update(piece));
      await file.appendFile(Buffer.concat([cipher.final(), cipher.getAuthTag()]));
      await file.sync();
    } finally {
      await file.close();
    }
    // It took a while. Looked at and replaced in one go: a newer one must not come in between.
    const meanwhile = versionAt(path);
    if (meanwhile > version) {
      await unlink(part);
      return meanwhile;
    }
    renameSync(part, path);
    await syncDirectory(dirname(path));
    return version;
  } catch (error) {
    await unlink(part).catch(() => {});
    throw error;
  }
}

/** The new name must outlast a power cut too, where a directory can be synced. */
async function syncDirectory(dir: string): Promise<void> {
  const opened = await open(dir, 'r').catch(() => null);
  await opened?.sync().catch(() => {});
  await opened?.close().catch(() => {});
}

/** What the file claims; NONE when there is none of ours. */
export function versionAt(path: string): number {
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    const front = Buffer.alloc(FRONT_BYTES);
    return readSync(file, front) === FRONT_BYTES ? (versionIn(front) ?? NONE) : NONE;
  } catch {
    return NONE;
  } finally {
    if (file !== null) closeSync(file);
  }
}
