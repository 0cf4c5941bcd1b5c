// The program of one backup or one restore test. A server or a command starts it, sends it one
// order and reads its reports. It ends with its parent.
import type { Order, Report } from './backup-orders.ts';
import { monotonicMs } from './base/clock.ts';
import { reasonOf } from './base/errors.ts';
import { AnotherIsRunning } from './db/backup/write-backup.ts';
import type { TaskProgress } from './features/backups/tasks.ts';
import { runRestoreTest } from './restore-test.ts';
import { takeBackup } from './take-backup.ts';

/** Reports are for people, so a few in a second are enough. */
const REPORT_EVERY_MS = 200;

process.on('disconnect', () => process.exit(1));
process.once('message', (order: Order) => void run(order));

async function run(order: Order): Promise<void> {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = (progress: TaskProgress) => {
    if (monotonicMs() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = monotonicMs();
    send({ kind: 'progress', progress });
  };
  try {
    const result =
      order.task === 'backup'
        ? await takeBackup(order, report)
        : await runRestoreTest(order, report);
    send({ kind: 'done', result }, () => process.exit(0));
  } catch (error) {
    const isRunning = error instanceof AnotherIsRunning;
    send({ kind: 'failed', reason: reasonOf(error), isRunning }, () => process.exit(0));
  }
}

const send = (report: Report, sent?: () => void): boolean | undefined =>
  process.send?.(report, undefined, undefined, sent);
