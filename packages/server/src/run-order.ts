// Runs one task of backups in a program of its own, and ends the program when the task takes too
// long or the disk becomes full.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, extname, join } from 'node:path';
import type { Order, Report } from './backup-orders.ts';
import { freeBytesIn, stateWith } from './db/disk-space.ts';
import {
  BackupRunning,
  type TakenBackup,
  type TaskProgress,
  type TestedBackup,
  TestFailed,
} from './features/backups/tasks.ts';

/** A TypeScript file beside this source, or a JavaScript file beside the bundle of this source. */
const PROGRAM = join(import.meta.dirname, `backup-program${extname(import.meta.filename)}`);

const TASK_MS_MAX = 12 * 3_600_000;

/** An embedded store needs the rest of the disk for its own writes: see disk-space.ts. */
const LOOK_AT_DISK_MS = 250;

export async function runOrder<T extends TakenBackup | TestedBackup>(
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
    else resolve(message.result as T); // our own program sent it
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
