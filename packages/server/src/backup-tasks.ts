// Runs the tasks of backups for a server or a command: each in a program of its own, one at a time.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { masterKeyMark } from './app.ts';
import type { Order, Report } from './backup-orders.ts';
import { systemClock } from './base/clock.ts';
import type { NewId } from './base/ids.ts';
import type { Secret } from './base/secret.ts';
import type { Config } from './config.ts';
import { removeLeftovers, removeOldBackups } from './db/backup/places.ts';
import type { Place } from './db/backup/sessions.ts';
import type { Database } from './db/database.ts';
import {
  BackupRunning,
  type BackupTasks,
  type TakenBackup,
  type TaskProgress,
  type TestedBackup,
} from './features/backups/tasks.ts';

const PROGRAM = join(import.meta.dirname, 'backup-program.ts');

type Wanted = Pick<Config, 'dataDir' | 'databaseUrl' | 'backupDir' | 'backupKeep' | 'backupKey'>;

type BackupTaskParts = { config: Wanted; masterKey: Secret; db: Database; newId: NewId };

export function createBackupTasks({ config, masterKey, db, newId }: BackupTaskParts): BackupTasks {
  const inTurn = createTurns();
  const shared = { into: config.backupDir, key: config.backupKey?.reveal() ?? null };
  const scratchRoot = join(config.dataDir, 'backup-scratch');
  const withScratch = async <T>(use: (scratch: string) => Promise<T>): Promise<T> => {
    const nowMs = systemClock.now().getTime();
    await mkdir(scratchRoot, { recursive: true, mode: 0o700 });
    await removeLeftovers(scratchRoot, { prefix: '', nowMs });
    const scratch = join(scratchRoot, newId());
    try {
      return await use(scratch);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  };
  return {
    take: (report) =>
      inTurn(() =>
        withScratch(async (scratch) => {
          const place = await placeOf(config, db, scratch);
          const order: Order = {
            ...shared,
            task: 'backup',
            place,
            masterKeyMark: masterKeyMark(masterKey),
          };
          return runOrder<TakenBackup>(order, report);
        }),
      ),
    test: (report) =>
      inTurn(() =>
        withScratch((scratch) =>
          runOrder<TestedBackup>({ ...shared, task: 'restore-test', scratch }, report),
        ),
      ),
    prune: () =>
      removeOldBackups(config.backupDir, {
        keep: config.backupKeep,
        nowMs: systemClock.now().getTime(),
      }),
  };
}

/** PostgreSQL is read by a connection of its own; of the embedded store a copy is read. */
async function placeOf({ databaseUrl }: Wanted, db: Database, directory: string): Promise<Place> {
  if (databaseUrl) return { kind: 'postgres', url: databaseUrl.reveal() };
  if (!db.copyTo) throw new Error('impossible: the embedded store has no directory');
  await db.copyTo(directory);
  return { kind: 'embedded', directory };
}

/** Runs calls one after the other. */
function createTurns(): <T>(call: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (call) => {
    const next = last.then(call);
    last = next.catch(() => {});
    return next;
  };
}

/** A program that takes longer is ended: something holds it. */
const TASK_MS_MAX = 12 * 3_600_000;

function runOrder<T extends TakenBackup | TestedBackup>(
  order: Order,
  report: (progress: TaskProgress) => void,
): Promise<T> {
  const child = fork(PROGRAM, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  child.on('message', (message: Report) => {
    if (message.kind === 'progress') report(message.progress);
    else if (message.kind === 'done')
      resolve(message.result as T); // our own program sent it
    else reject(message.isRunning ? new BackupRunning(message.reason) : new Error(message.reason));
  });
  child.on('error', reject);
  child.on('exit', (code, signal) =>
    reject(new Error(`The program of the ${order.task} ended: ${signal ?? code}.`)),
  );
  const timer = setTimeout(() => end(child), TASK_MS_MAX);
  child.send(order);
  return promise.finally(() => {
    clearTimeout(timer);
    end(child);
  });
}

function end(child: ChildProcess): void {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
}
