// An encrypted file on disk (format: format.ts). It is readable by its owner only, replaced
// atomically, and never replaced by an older version. Only regular files of this process's user are
// read, and opening never blocks: a FIFO or a link with the same name is refused.
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
import { fieldsOf } from '../../json.ts';
import { checkDirectory, isOwn } from './directory.ts';
import {
  FRONT_BYTES,
  frontOf,
  opener,
  SALT_BYTES,
  sealer,
  TAG_BYTES,
  versionIn,
} from './format.ts';

const FILE_BYTES_MAX = 2 ** 31;
const READ_BYTES = 1024 * 1024;
/** A file exists, but was not written with this secret key; lower than every version. */
export const UNKNOWN_VERSION = -1;
/** Does not wait for the other end of a FIFO, and does not follow links. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
/** How often `meet` is tried before the write is given up. */
const CONDITION_TRIES_MAX = 10;

/** The decrypted bytes, or null if there is no file. Throws if the file is invalid. */
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
    if (sealedBytes <= 0 || size > FILE_BYTES_MAX) throw new Error('its size is invalid');
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

export const isMissing = (error: unknown): boolean => fieldsOf(error).code === 'ENOENT';

function checkFile(found: Stats): void {
  if (!found.isFile()) throw new Error('it is not a regular file');
  if (!isOwn(found)) throw new Error('it belongs to another user');
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead !== length) throw new Error('it is truncated');
  return buffer;
}

type Contents = {
  secretKey: string;
  version: number;
  /** Each of bounded size. */
  pieces: Iterable<Uint8Array>;
  /** Whether the file must survive a power cut, not only the process. */
  isSynced: boolean;
  /** Must hold at the moment when the file is replaced. */
  condition?: Condition;
};

export type Condition = {
  isMet(): boolean;
  /** Makes the condition hold, or throws. */
  meet(): Promise<void>;
  /** Called in the same tick in which the file was replaced or a newer one was found. */
  done(version: number): void;
};

/** Keeps a newer file, which another process may have written. Returns the version on disk. */
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
    // Check again and rename synchronously, so that no newer file appears in between.
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

/** The condition may break again while `meet` runs, so `isMet` is always checked last. */
async function meet(condition: Condition | undefined): Promise<void> {
  for (let tries = 0; condition && !condition.isMet(); tries += 1) {
    if (tries === CONDITION_TRIES_MAX) throw new Error('changes arrive too fast for the disk');
    await condition.meet();
  }
}

/** Makes a file, or the names in a directory, survive a power cut, if the system supports it. */
export async function syncPath(path: string): Promise<void> {
  const opened = await open(path, OPEN_FLAGS).catch(() => null);
  await opened?.sync().catch(() => {});
  await opened?.close().catch(() => {});
}

/** The version of a file; null without a file, UNKNOWN_VERSION if it cannot be trusted. */
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
