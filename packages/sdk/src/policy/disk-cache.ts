// Keeps the last good policy in a file, so that a cold start needs no control plane. The file is
// sealed (see cache-form.ts), readable by its owner alone, and replaced in one step. Whatever is
// wrong with it or with the disk, the node goes on without.
import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Env } from '../context.ts';
import type { Log } from '../options.ts';
import {
  type Belonging,
  FRONT_BYTES,
  frontOf,
  type Kept,
  opener,
  piecesOf,
  restore,
  SALT_BYTES,
  sealer,
  TAG_BYTES,
  versionIn,
} from './cache-form.ts';
import type { Policy } from './standing.ts';

export type DiskCache = {
  /** What was kept, if it is whole, ours and of this very feed. Never rejects. */
  load(): Promise<Kept | null>;
  /**
   * Writes a policy down before long, with the control plane's time of it: sooner when it does not
   * only tell of new keys, because a revocation must outlive the program.
   */
  keep(policy: Policy, savedAt: number, isOnlyMore?: boolean): void;
  /** Writes down what is not yet written. Never rejects. */
  close(): Promise<void>;
};

export type CacheParts = {
  secretKey: string;
  projectId: string;
  env: Env | null;
  tenantIds: readonly string[];
  clock: Clock;
  log: Log;
};

const FILE_BYTES_MAX = 2 ** 31;
const READ_BYTES = 1024 * 1024;
/** Writing is put off, but for the first time the longer, the more there is to write. */
const SOON_MS = 1_000;
const LATER_MS = 30_000;
const PAUSE_MS_PER_KEY = 0.2;
/** A file that somebody began and did not finish so long ago was left behind. */
const ABANDONED_MS = 3_600_000;

export function openDiskCache(parts: CacheParts, dir: string): DiskCache {
  const { secretKey, projectId, env, tenantIds, clock, log } = parts;
  const belonging: Belonging = { projectId, env, tenantIds };
  const path = join(dir, nameOf(belonging));
  let pending: { policy: Policy; savedAt: number } | null = null;
  let writing: Promise<void> | null = null;
  let cancel: (() => void) | null = null;
  let dueAt = Number.POSITIVE_INFINITY;
  let wasWritten = false;

  const failed = (what: string) => (error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    log('warn', `keyrail: the policy cache ${what}: ${why}`);
    return null;
  };
  const write = async () => {
    cancel?.();
    cancel = null;
    dueAt = Number.POSITIVE_INFINITY;
    const due = pending;
    pending = null;
    if (!due) return;
    wasWritten = true;
    await writeSealed(path, { ...due, secretKey, belonging }).catch(failed('could not be written'));
  };
  const schedule = (afterMs: number) => {
    const at = clock.monotonicMs() + afterMs;
    if (at >= dueAt) return;
    cancel?.();
    dueAt = at;
    cancel = clock.after(afterMs, () => {
      writing = (writing ?? Promise.resolve()).then(write);
    });
  };
  return {
    load: async () => {
      await prepare(dir, path, clock.now()).catch(failed('has no directory'));
      try {
        const plain = await readSealed(path, secretKey);
        return plain && (await restore(plain, belonging, breathe));
      } catch (error) {
        // What nobody can open shall not stand in the way of what will be written.
        await unlink(path).catch(() => {});
        return failed('was refused')(error);
      }
    },
    keep: (policy, savedAt, isOnlyMore = false) => {
      pending = { policy, savedAt };
      const pauseMs = (isOnlyMore ? LATER_MS : SOON_MS) + policy.table.size * PAUSE_MS_PER_KEY;
      schedule(wasWritten ? pauseMs : SOON_MS);
    },
    close: async () => {
      await writing;
      await write();
    },
  };
}

const breathe = () => new Promise<void>((resolve) => setImmediate(resolve));

const nameOf = (belonging: Belonging): string => {
  const digest = createHash('sha256').update(JSON.stringify(belonging)).digest('hex');
  return `keyrail-${digest.slice(0, 16)}.policy`;
};

/** Makes the directory, and sweeps up what a crash left behind. */
async function prepare(dir: string, path: string, now: number): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  for (const name of await readdir(dir)) {
    if (!name.startsWith(`${basename(path)}.`)) continue;
    const left = join(dir, name);
    const { mtimeMs } = await stat(left);
    if (now - mtimeMs > ABANDONED_MS) await unlink(left);
  }
}

/** The plain text, or null when there is no file. Throws when anything at all is wrong with it. */
async function readSealed(path: string, secretKey: string): Promise<Buffer | null> {
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

type Sealing = { policy: Policy; savedAt: number; secretKey: string; belonging: Belonging };

/** Another process may share the file: what is newer in it stays. */
async function writeSealed(path: string, sealing: Sealing): Promise<void> {
  const { policy, savedAt, secretKey, belonging } = sealing;
  if ((await versionAt(path)) > policy.version) return;
  const part = `${path}.${randomBytes(8).toString('hex')}`;
  const { version } = policy;
  const front = frontOf(randomBytes(SALT_BYTES), version);
  const pieces = piecesOf(policy, belonging, savedAt);
  const cipher = sealer(secretKey, front);
  const file = await open(part, 'wx', 0o600);
  try {
    await file.appendFile(front);
    for (const piece of pieces) await file.appendFile(cipher.update(piece));
    await file.appendFile(Buffer.concat([cipher.final(), cipher.getAuthTag()]));
    await file.sync();
  } catch (error) {
    await file.close();
    await unlink(part);
    throw error;
  }
  await file.close();
  // It took a while.
  if ((await versionAt(path)) > version) await unlink(part);
  else await rename(part, path);
}

async function versionAt(path: string): Promise<number> {
  const file = await open(path, 'r').catch(() => null);
  if (!file) return 0;
  try {
    return versionIn(await readAt(file, 0, FRONT_BYTES)) ?? 0;
  } catch {
    return 0;
  } finally {
    await file.close();
  }
}
