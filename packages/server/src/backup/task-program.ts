// The program of one backup or one restore test. A server or a command starts it, sends it one
// order, reads its reports and ends it. If its parent ends first, it removes its files and ends.
// Signals that stop a server reach this program too: from systemd, or from a terminal. It leaves
// them to its parent, which would otherwise report a failed backup at every such stop.
import { rmSync } from 'node:fs';
import { reasonOf } from '../base/errors.ts';
import { TestFailed } from '../features/backups/tasks.ts';
import { leftBy, type Order, paced, type Report } from './orders.ts';
import { takeBackup } from './take-backup.ts';
import type { runRestoreTest } from './verify-backup.ts';
import { AnotherIsRunning } from './write-backup.ts';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

process.once('message', (order: Order) => {
  process.on('disconnect', () => {
    for (const path of leftBy(order)) rmSync(path, { recursive: true, force: true });
    process.exit(1);
  });
  void run(order);
});

async function run(order: Order): Promise<void> {
  const report = paced((progress) => send({ kind: 'progress', progress }));
  try {
    const result =
      order.task === 'backup' ? await takeBackup(order, report) : await test(order, report);
    send({ kind: 'done', result });
  } catch (error) {
    send({
      kind: 'failed',
      reason: reasonOf(error),
      isRunning: error instanceof AnotherIsRunning,
      backupId: error instanceof TestFailed ? error.backupId : null,
    });
  }
}

/** A restore imports the features of the server, which a backup does not need. */
const test: typeof runRestoreTest = async (order, report) =>
  (await import('./verify-backup.ts')).runRestoreTest(order, report);

const send = (report: Report): boolean | undefined => process.send?.(report);
