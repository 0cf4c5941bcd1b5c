// An encrypted file on disk (see format.ts for its format). It is readable by its owner only and
// replaced atomically. Only regular files of this process's user are read, and opening never
// blocks, so a FIFO or a link with the same name is rejected.
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
import { fieldsOf } from '../../json.ts';
import { isOwn } from './directory.ts';
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
/** The version of a file that was not written with this secret key; lower than any real version. */
export const UNKNOWN_VERSION = -1;
/** Opening does not wait for the other end of a FIFO, and does not follow links. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
/** The maximum number of calls to `meet`; after that, the write fails. */
const CONDITION_TRIES_MAX = 10;

/** Returns the version and the decrypted bytes. Throws if the file is missing or invalid. */
export async function readSealed(
  path: string,
  secretKey: string,
): Promise<{ version: number; plain: Buffer }> {
  const file = await open(path, OPEN_FLAGS);
  try {
    const found = await file.stat();
    checkFile(found);
    const { size } = found;
    const sealedBytes = size - FRONT_BYTES - TAG_BYTES;
    if (sealedBytes <= 0 || size > FILE_BYTES_MAX) throw new Error('its size is invalid');
    const front = await readAt(file, 0, FRONT_BYTES);
    const version = versionIn(secretKey, front);
    if (version === null) throw new Error('it is not a policy cache');
    const decipher = opener(secretKey, front);
    decipher.setAuthTag(await readAt(file, FRONT_BYTES + sealedBytes, TAG_BYTES));
    const plain = Buffer.alloc(sealedBytes);
    for (let at = 0; at < sealedBytes; at += READ_BYTES) {
      const piece = await readAt(file, FRONT_BYTES + at, Math.min(READ_BYTES, sealedBytes - at));
      decipher.update(piece).copy(plain, at);
    }
    decipher.final();
    return { version, plain };
  } finally {
    await file.close();
  }
}

function checkFile(found: Stats): void {
  if (!found.isFile()) throw new Error('it is not a regular file');
  if (!isOwn(found)) throw new Error('it belongs to another user');
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead !== length) throw new Error('it is truncated');
  return buffer;
}

export type Contents = {
  secretKey: string;
  version: number;
  /** The bytes to write, in pieces of bounded size. */
  pieces: Iterable<Uint8Array>;
  /** Whether the file must survive a power cut, not just a crash of the process. */
  isSynced: boolean;
  /** A condition that must be met at the moment the file is replaced. */
  condition?: Condition;
};

export type Condition = {
  isMet(): boolean;
  /** Takes the steps needed to meet the condition; throws if one fails. */
  meet(): Promise<void>;
  /** Called in the same tick in which the file was written or a newer file was found. */
  done(version: number): void;
};

/** Writes to a new file and then renames it, so that readers never see a partial file. */
export async function writeSealed(path: string, contents: Contents): Promise<void> {
  const part = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    await writePart(part, contents);
    await meet(contents.condition);
    // The file is renamed in the same tick as the final check of the condition.
    renameSync(part, path);
    contents.condition?.done(contents.version);
  } catch (error) {
    await unlink(part).catch(() => {});
    throw error;
  }
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
    if (tries === CONDITION_TRIES_MAX) throw new Error('the disk cannot keep up with the changes');
    await condition.meet();
  }
}

/**
 * Syncs a file, or a directory's entries, to disk, if the system supports it, so that a power cut
 * does not lose them.
 */
export async function syncPath(path: string): Promise<void> {
  const opened = await open(path, OPEN_FLAGS).catch(() => null);
  await opened?.sync().catch(() => {});
  await opened?.close().catch(() => {});
}

/**
 * Returns a file's version: null if there is no file, UNKNOWN_VERSION if it cannot be trusted. Disk
 * errors are thrown, because they say nothing about the version.
 */
export function versionAt(path: string, secretKey: string): number | null {
  let file: number | null = null;
  try {
    file = openSync(path, OPEN_FLAGS);
    checkFile(fstatSync(file));
    const front = Buffer.alloc(FRONT_BYTES);
    readSync(file, front);
    return versionIn(secretKey, front) ?? UNKNOWN_VERSION;
  } catch (error) {
    if (isMissing(error)) return null;
    if (isOfDisk(error)) throw error;
    return UNKNOWN_VERSION;
  } finally {
    if (file !== null) closeSync(file);
  }
}

export const isMissing = (error: unknown): boolean => fieldsOf(error).code === 'ENOENT';

/** An I/O error, such as too many open files. */
export const isOfDisk = (error: unknown): boolean => fieldsOf(error).syscall !== undefined;
