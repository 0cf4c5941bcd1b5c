// The scheduled backup: takes a backup, restores it into a scratch database, and removes old
// backups only if this restore test passed. A failed backup is retried soon. After a failed restore
// test, the next backup is taken at the usual time, because extra backups would only fill the disk.
// Safe to run twice: a second backup of the same database waits or is rejected, and each backup is
// complete on its own.
import type { Log } from '../../base/log.ts';
import { BackupRunning, type BackupTasks } from './backup-tasks.ts';
import { type RecordParts, recordRun } from './record-run.ts';

type BackUpParts = RecordParts & { tasks: BackupTasks; log: Log };

export async function backUp({ tasks, log, ...parts }: BackUpParts): Promise<void> {
  try {
    const taken = await recordRun(parts, 'backup', () => tasks.take(noReport));
    const tested = await recordRun(parts, 'restore_test', () => tasks.test(noReport)).catch(
      (error: unknown) => {
        log.error(
          { error, ...taken },
          'a backup failed its restore test; keeping all older backups',
        );
        return null;
      },
    );
    if (tested === null) return;
    const removed = await tasks.prune();
    log.info(
      { ...taken, chains: tested.chains, removed: removed.length },
      'backup completed and passed its restore test',
    );
  } catch (error) {
    if (!(error instanceof BackupRunning)) throw error;
    log.info('a backup of this database is already running');
  }
}

const noReport = (): void => {};
