// A sealed file on the disk (see cache-form.ts): readable by its owner alone, replaced in one step,
// and never by what is older than what stands there. Only regular files of this process's own user
// are read, and opening one never blocks: another kind of file under the same name is refused.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  type Stats,
} from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { checkDirectory, isOwn } from './cache-directory.ts';
import {
  FRONT_BYTES,
  frontOf,
  opener,
  SALT_BYTES,
  sealer,
  TAG_BYTES,
  versionIn,
} from './cache-form.ts';

const FILE_BYTES_MAX = 2 ** 31;
const READ_BYTES = 1024 * 1024;
/** Something is there, but no file of this secret key: below every version. */
export const UNKNOWN_VERSION = -1;
/** A FIFO is opened without waiting for its other end, a link is not followed. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
/** How often a condition is met again before the file that waits for it is given up. */
const CONDITION_TRIES_MAX = 10;

/** The plain text, or null when there is no file. Throws when anything at all is wrong with it. */
export async function readSealed(path: string, secretKey: string): Promise<Buffer | null> {
  const file = await open(path, OPEN_FLAGS).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (!file) return null;
  try {
    const found = await file.stat();
    checkFile(found);
    const { size } = found;
    const sealedBytes = size - FRONT_BYTES - TAG_BYTES;
    if (sealedBytes <= 0 || size > FILE_BYTES_MAX) throw new Error('it has no sensible size');
    const front = await readAt(file, 0, FRONT_BYTES);
    if (versionIn(secretKey, front) === null) throw new Error('it is not a policy cache');
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

export const isMissing = (error: unknown): boolean => Object(error).code === 'ENOENT';

function checkFile(found: Stats): void {
  if (!found.isFile()) throw new Error('it is not a regular file');
  if (!isOwn(found)) throw new Error('it belongs to another user');
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
  /** Whether it must outlast a power cut, and not only the process. */
  isSynced: boolean;
  /** What must hold at the moment when the file is replaced. */
  condition?: Condition;
};

export type Condition = {
  isMet(): boolean;
  /** Makes it hold, or throws. */
  meet(): Promise<void>;
  /** Called in the same turn in which the file was replaced, or a newer one was found there. */
  done(version: number): void;
};

/** Another process may share the file: a newer one stays. Returns the version that is there. */
export async function writeSealed(path: string, contents: Contents): Promise<number> {
  const { secretKey, version } = contents;
  await checkDirectory(dirname(path));
  const before = versionAt(path, secretKey) ?? UNKNOWN_VERSION;
  if (before > version) {
    contents.condition?.done(before);
    return before;
  }
  const part = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    await writePart(part, contents);
    await meet(contents.condition);
    // It took a while. Looked at and replaced in one go: a newer one must not come in between.
    const meanwhile = versionAt(path, secretKey) ?? UNKNOWN_VERSION;
    if (meanwhile <= version) renameSync(part, path);
    contents.condition?.done(Math.max(meanwhile, version));
    if (meanwhile > version) {
      await unlink(part);
      return meanwhile;
    }
  } catch (error) {
    await unlink(part).catch(() => {});
    throw error;
  }
  if (contents.isSynced) await syncPath(dirname(path));
  return version;
}

async function writePart(part: string, contents: Contents): Promise<void> {
  const { secretKey, version, pieces, isSynced } = contents;
  const front = frontOf(secretKey, randomBytes(SALT_BYTES), version);
  const cipher = sealer(secretKey, front);
  const file = await open(part, 'wx', 0o600);
  try {
    await file.appendFile(front);
    for (const piece of pieces) await file.appendFile(cipher.update(piece));
    await file.appendFile(Buffer.concat([cipher.final(), cipher.getAuthTag()]));
    if (isSynced) await file.sync();
  } finally {
    await file.close();
  }
}

/** It may be broken again while it is met, so it is asked once more without a wait after that. */
async function meet(condition: Condition | undefined): Promise<void> {
  for (let tries = 0; condition && !condition.isMet(); tries += 1) {
    if (tries === CONDITION_TRIES_MAX) throw new Error('changes came faster than the disk');
    await condition.meet();
  }
}

/** Makes a file, or the names in a directory, outlast a power cut, where that is possible. */
export async function syncPath(path: string): Promise<void> {
  const opened = await open(path, OPEN_FLAGS).catch(() => null);
  await opened?.sync().catch(() => {});
  await opened?.close().catch(() => {});
}

/** The version of a file, null when there is none, UNKNOWN_VERSION when it cannot be believed. */
export function versionAt(path: string, secretKey: string): number | null {
  let file: number | null = null;
  try {
    file = openSync(path, OPEN_FLAGS);
    checkFile(fstatSync(file));
    const front = Buffer.alloc(FRONT_BYTES);
    readSync(file, front);
    return versionIn(secretKey, front) ?? UNKNOWN_VERSION;
  } catch (error) {
    return isMissing(error) ? null : UNKNOWN_VERSION;
  } finally {
    if (file !== null) closeSync(file);
  }
}
