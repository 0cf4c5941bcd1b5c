import { reasonOf } from '../../base/errors.ts';
import type { OpenWork, Work } from '../../doors/work.ts';
import { insertMailOnce } from '../mail/rows.ts';
import { BackupRunning, TestFailed } from './backup-tasks.ts';
import { findLastPassed, insertRun, type NewRun } from './rows.ts';

const FAULT_CHARS_MAX = 500;

export type RecordParts = {
  work: OpenWork;
  /** Where to send an email when backups start failing; null to send none. */
  operatorEmail: string | null;
};

type Ran = { backupId: string; bytes?: number };

/**
 * Runs a task and records whether it succeeded. When a kind of task starts failing, the operator
 * gets a single email, and no more while it keeps failing.
 */
export async function recordRun<T extends Ran>(
  { work, operatorEmail }: RecordParts,
  kind: NewRun['kind'],
  run: () => Promise<T>,
): Promise<T> {
  const startedAt = await work(async (tx) => tx.now);
  const begun = { kind, startedAt };
  try {
    const done = await run();
    const { backupId, bytes = null } = done;
    await work((tx) => insertRun(tx, { ...begun, backupId, bytes, passed: true, reason: null }));
    return done;
  } catch (error) {
    if (error instanceof BackupRunning) throw error;
    const reason = reasonOf(error).slice(0, FAULT_CHARS_MAX);
    const backupId = error instanceof TestFailed ? error.backupId : null;
    const recorded = work(async (tx) => {
      if (operatorEmail && (await findLastPassed(tx, kind)) !== false) {
        await notify(tx, operatorEmail, { kind, reason });
      }
      await insertRun(tx, { ...begun, backupId, bytes: null, passed: false, reason });
    });
    // Recording may fail too, if the database is unreachable. The task's own error is the one to
    // report.
    await recorded.catch(() => {});
    throw error;
  }
}

const notify = (tx: Work, to: string, failed: { kind: NewRun['kind']; reason: string }) =>
  insertMailOnce(tx, {
    id: tx.newId(),
    kind: 'backup_failed',
    to,
    params: { task: failed.kind, reason: failed.reason, at: tx.now.toISOString() },
  });
