// The process that runs one backup or one restore test. A server or a command starts it, sends it
// one order, reads its reports and stops it. If the parent exits first, this process removes its
// files and exits. When systemd or a terminal stops a server, this process gets the signal too but
// ignores it, because the parent would report an unexpected exit as a failed backup.
import { createPrivateKey } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../base/errors.ts';
import { systemRandomBytes } from '../base/random.ts';
import {
  type TakenBackup,
  type TaskProgress,
  TestFailed,
} from '../features/backups/backup-tasks.ts';
import { signHeads, wireAnchor } from '../signing/anchors.ts';
import { type BackupOrder, leftBy, type Order, paced, type Report } from './run-task.ts';
import { withSession } from './sessions.ts';
import type { verifyBackup } from './verify-backup.ts';
import { AnotherIsRunning, type SignChains, writeBackup } from './write-backup.ts';

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

async function takeBackup(
  { place, into, part, key, masterKeyMark, anchorKey }: BackupOrder,
  report: (progress: TaskProgress) => void,
): Promise<TakenBackup> {
  const signChains = anchorKey && signingWith(anchorKey);
  const parts = { store: place.kind, into, part, key, masterKeyMark, signChains, report };
  const { id, tables } = await withSession(place, (session) =>
    writeBackup(session, { ...parts, randomBytes: systemRandomBytes }),
  );
  const sum = (field: 'rows' | 'bytes') => tables.reduce((total, table) => total + table[field], 0);
  return { backupId: id, path: join(into, id), rows: sum('rows'), bytes: sum('bytes') };
}

function signingWith({ kid, pkcs8 }: NonNullable<BackupOrder['anchorKey']>): SignChains {
  const key = createPrivateKey({
    key: Buffer.from(pkcs8, 'base64'),
    format: 'der',
    type: 'pkcs8',
  });
  return (heads, moment) => signHeads(heads, { kid, key }, moment).map(wireAnchor);
}

/**
 * Imported only when needed, because a restore loads the server's features, but a backup doesn't.
 */
const test: typeof verifyBackup = async (order, report) =>
  (await import('./verify-backup.ts')).verifyBackup(order, report);

const send = (report: Report): boolean | undefined => process.send?.(report);
