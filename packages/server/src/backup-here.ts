// Backups and restore tests by the process of a command, which opens the store itself.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createBackupTasks } from './backup-tasks.ts';
import { systemClock } from './base/clock.ts';
import { createIdMaker } from './base/ids.ts';
import { openLog } from './base/log.ts';
import { systemRandomBytes } from './base/random.ts';
import type { Config } from './config.ts';
import { openWork } from './doors/work.ts';
import { recordRun } from './features/backups/record-run.ts';
import type {
  BackupTasks,
  TakenBackup,
  TaskProgress,
  TestedBackup,
} from './features/backups/tasks.ts';
import { secretsOf } from './start.ts';
import { openStore } from './stores.ts';

type ReportProgress = (progress: TaskProgress) => void;

export const takeHere = (config: Config, report: ReportProgress): Promise<TakenBackup> =>
  withTasks(config, 'backup', ({ take }) => take(report));

export const testHere = (config: Config, report: ReportProgress): Promise<TestedBackup> =>
  withTasks(config, 'restore_test', ({ test }) => test(report));

async function withTasks<T extends { backupId: string }>(
  config: Config,
  kind: 'backup' | 'restore_test',
  run: (tasks: BackupTasks) => Promise<T>,
): Promise<T> {
  refuseWithoutDatabase(config);
  // Standard output holds only the result, so log to standard error.
  const db = await openStore(config, systemClock, openLog(config.logLevel, process.stderr));
  try {
    const newId = createIdMaker(systemClock, systemRandomBytes);
    const { masterKey } = await secretsOf(config);
    const tasks = createBackupTasks({ config, masterKey, db, newId });
    const parts = { work: openWork(db, newId), operatorEmail: config.operatorEmail };
    return await recordRun(parts, kind, () => run(tasks));
  } finally {
    await db.close();
  }
}

/** A wrong directory would give a backup of a new, empty database. */
function refuseWithoutDatabase({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl || existsSync(join(dataDir, 'database', 'PG_VERSION'))) return;
  throw new Error(
    `No embedded database in ${dataDir} (KEYRAIL_DATA_DIR). Point KEYRAIL_DATA_DIR at the ` +
      "server's directory, or set DATABASE_URL.",
  );
}
