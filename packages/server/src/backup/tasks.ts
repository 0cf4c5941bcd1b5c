// Runs backup tasks for a server or a command: each in a separate process, one at a time.
import type { KeyObject } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { DAY_MS } from '../base/duration.ts';
import { reasonOf } from '../base/errors.ts';
import type { NewId } from '../base/ids.ts';
import { systemRandomBytes } from '../base/random.ts';
import { masterKeyMark } from '../base/sealing.ts';
import type { Secret } from '../base/secret.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { openWork } from '../doors/work.ts';
import type { BackupTasks, TakenBackup, TestedBackup } from '../features/backups/backup-tasks.ts';
import { signingPartsOf } from '../signing/parts.ts';
import { openAnchorKey } from '../signing/signer.ts';
import {
  BACKUP_LOCK,
  GONE_PREFIX,
  PART_PREFIX,
  removeLeftovers,
  removeOldBackups,
  retireParts,
} from './places.ts';
import { leftBy, type Order, runTask } from './run-task.ts';
import type { Place } from './sessions.ts';

type BackupTaskParts = Pick<Config, 'store' | 'backups' | 'signing'> & {
  masterKey: Secret;
  db: Database;
  newId: NewId;
};

/** Files older than this don't belong to any running process. */
const LEFT_MS_MAX = DAY_MS;

export function createBackupTasks(parts: BackupTaskParts): BackupTasks {
  const { store, backups, masterKey, db, newId } = parts;
  const inTurn = createTurns();
  const into = backups.dir;
  const scratchRoot = join(store.dataDir, 'backup-scratch');
  const shared = () => ({
    into,
    key: backups.key?.reveal() ?? null,
    scratch: join(scratchRoot, newId()),
  });
  const nowMs = () => systemClock.now().getTime();
  /**
   * Removes incomplete backups. A backup that is still being written is safe, because in another
   * process it would hold the lock in the database, and this process runs only one at a time.
   */
  const clear = async () => {
    await openWork(
      db,
      newId,
    )(async (tx) => {
      const { rows } = await tx.run({ text: BACKUP_LOCK, values: [] });
      if (rows[0]?.ours) await retireParts(into);
    });
    await removeLeftovers(into, { prefix: GONE_PREFIX, beforeMs: Number.POSITIVE_INFINITY });
  };
  const run = async <T>(order: Order, prepare: () => Promise<void>, start: () => Promise<T>) => {
    await makeDirectory(into, 'KEYRAIL_BACKUP_DIR');
    await makeDirectory(scratchRoot, 'KEYRAIL_DATA_DIR');
    await clear();
    // Only one process uses an embedded store's directory, and its tasks run one at a time.
    const scratchMs = store.databaseUrl ? LEFT_MS_MAX : 0;
    await removeLeftovers(scratchRoot, { prefix: '', beforeMs: nowMs() - scratchMs });
    try {
      await prepare();
      return await start();
    } finally {
      for (const path of leftBy(order)) await rm(path, { recursive: true, force: true });
    }
  };
  const findAnchorKey = async () => {
    const randomBytes = systemRandomBytes;
    const signing = signingPartsOf({ ...parts.signing, masterKey, randomBytes });
    // If the database is read-only, there may be no signing key. A backup without anchors is better
    // than no backup.
    const opened = await openAnchorKey(openWork(db, newId), signing).catch(() => null);
    return opened && { kid: opened.kid, pkcs8: exported(opened.key) };
  };
  return {
    take: (report) =>
      inTurn(async () => {
        const settings = shared();
        const place = placeOf(store, settings.scratch);
        const part = PART_PREFIX + newId();
        const anchorKey = await findAnchorKey();
        const order: Order = {
          ...settings,
          task: 'backup',
          place,
          part,
          masterKeyMark: masterKeyMark(masterKey),
          anchorKey,
        };
        return run(
          order,
          () => copyEmbedded(db, place),
          () => runTask<TakenBackup>(order, report),
        );
      }),
    test: (report) =>
      inTurn(() => {
        const order: Order = { ...shared(), task: 'restore-test' };
        return run(
          order,
          async () => {},
          () => runTask<TestedBackup>(order, report),
        );
      }),
    clear: () => inTurn(clear),
    prune: () => removeOldBackups(into, backups.keep),
  };
}

const exported = (key: KeyObject): string =>
  key.export({ type: 'pkcs8', format: 'der' }).toString('base64');

/**
 * PostgreSQL is read through a separate connection; an embedded store is copied first, and the copy
 * is read.
 */
const placeOf = ({ databaseUrl }: Config['store'], scratch: string): Place =>
  databaseUrl
    ? { kind: 'postgres', url: databaseUrl.reveal() }
    : { kind: 'embedded', directory: scratch };

async function copyEmbedded(db: Database, place: Place): Promise<void> {
  if (place.kind === 'postgres') return;
  if (!db.copyTo) throw new Error('bug: the embedded store has no directory to copy');
  await db.copyTo(place.directory);
}

async function makeDirectory(path: string, setting: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new Error(`Cannot use the directory ${path} (${setting}): ${reasonOf(error)}`, {
      cause: error,
    });
  });
}

/** Runs calls one after another. */
function createTurns(): <T>(call: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (call) => {
    const next = last.then(call);
    last = next.catch(() => {});
    return next;
  };
}
