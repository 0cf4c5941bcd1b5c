// The scheduled backup: takes a backup, restores it into a scratch database, and only if that passed
// removes old ones. Safe to run twice: a second backup of the same database waits or is refused, and
// each backup is complete by itself.
import type { Log } from '../../base/log.ts';
import { type RecordParts, recordRun } from './record-run.ts';
import { BackupRunning, type BackupTasks } from './tasks.ts';

type BackUpParts = RecordParts & { tasks: BackupTasks; log: Log };

export async function backUp({ tasks, log, ...parts }: BackUpParts): Promise<void> {
  try {
    const taken = await recordRun(parts, 'backup', () => tasks.take(noReport));
    const tested = await recordRun(parts, 'restore_test', () => tasks.test(noReport));
    const removed = await tasks.prune();
    log.info({ ...taken, chains: tested.chains, removed: removed.length }, 'backed up');
  } catch (error) {
    if (!(error instanceof BackupRunning)) throw error;
    log.info('a backup of this database is already running');
  }
}

const noReport = (): void => {};
