// Runs one backup task in a separate process, and kills that process if the task takes too long or
// the disk fills up. Both processes run the same version of the server, so messages need no
// validation.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, extname, join } from 'node:path';
import { monotonicMs } from '../base/clock.ts';
import { HOUR_MS } from '../base/duration.ts';
import { freeBytesIn, stateWith } from '../db/disk-space.ts';
import {
  BackupRunning,
  type TakenBackup,
  type TaskProgress,
  type TestedBackup,
  TestFailed,
} from '../features/backups/backup-tasks.ts';
import type { Place } from './sessions.ts';

/**
 * Settings that both tasks need. They contain secrets, so they are sent as a message and not as
 * arguments.
 * `scratch`: a directory that only this task uses.
 */
type Shared = { into: string; key: string | null; scratch: string };

/** `part`: the directory's name until the backup is complete. */
export type BackupOrder = Shared & {
  task: 'backup';
  place: Place;
  part: string;
  masterKeyMark: string;
  /** Signs the audit chains' heads; null if the database can't store a new key. */
  anchorKey: { kid: string; pkcs8: string } | null;
};

export type TestOrder = Shared & { task: 'restore-test' };

export type Order = BackupOrder | TestOrder;

/** The paths that a task leaves behind if it is interrupted. */
export const leftBy = (order: Order): string[] =>
  order.task === 'backup' ? [order.scratch, `${order.into}/${order.part}`] : [order.scratch];

export type Report =
  | { kind: 'progress'; progress: TaskProgress }
  | { kind: 'done'; result: TakenBackup | TestedBackup }
  /** `backupId`: the backup that failed its test; null for other failures. */
  | { kind: 'failed'; reason: string; isRunning: boolean; backupId: string | null };

/** Progress reports are for people, so a few per second is enough. */
const REPORT_EVERY_MS = 200;

export function paced(report: (progress: TaskProgress) => void): typeof report {
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  return (progress) => {
    if (monotonicMs() - reportedAtMs < REPORT_EVERY_MS) return;
    reportedAtMs = monotonicMs();
    report(progress);
  };
}

/**
 * A TypeScript file next to this source file, or a JavaScript file next to the bundle that contains
 * this code.
 */
const PROGRAM = join(import.meta.dirname, `task-program${extname(import.meta.filename)}`);

const TASK_MS_MAX = 12 * HOUR_MS;

/**
 * How often to check whether the disk still has the free space that an embedded store needs for its
 * own writes; see disk-space.ts.
 */
const LOOK_AT_DISK_MS = 250;

export async function runTask<T extends TakenBackup | TestedBackup>(
  order: Order,
  report: (progress: TaskProgress) => void,
): Promise<T> {
  const disks = [order.into, dirname(order.scratch)];
  refuseFullDisk(disks);
  const child = fork(PROGRAM, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  child.on('message', (message: Report) => {
    if (message.kind === 'progress') report(message.progress);
    else if (message.kind === 'failed') reject(failureIn(message));
    else resolve(message.result as T); // sent by our own process
  });
  child.on('error', reject);
  child.on('exit', (code, signal) =>
    reject(new Error(`The ${order.task} process exited unexpectedly: ${signal ?? code}.`)),
  );
  const late = () => reject(new Error(`The ${order.task} took longer than ${TASK_MS_MAX} ms.`));
  const timer = setTimeout(late, TASK_MS_MAX);
  const watch = setInterval(() => {
    try {
      refuseFullDisk(disks);
    } catch (error) {
      reject(error);
    }
  }, LOOK_AT_DISK_MS);
  child.send(order);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    await end(child);
  }
}

function failureIn({ reason, isRunning, backupId }: Extract<Report, { kind: 'failed' }>): Error {
  if (isRunning) return new BackupRunning(reason);
  return backupId === null ? new Error(reason) : new TestFailed(backupId, reason);
}

function refuseFullDisk(directories: readonly string[]): void {
  const full = directories.find((directory) => stateWith(freeBytesIn(directory)) !== 'ok');
  if (full === undefined) return;
  throw new Error(
    `Not enough free disk space at ${full}: backups and restore tests must leave 128 MiB free. ` +
      'Free some space, or set KEYRAIL_BACKUP_DIR to a directory on another disk.',
  );
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
