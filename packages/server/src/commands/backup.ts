// keyrail-server backup and restore-test. With the embedded store, a running server does the work;
// if none is running, the command opens the store.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { askServer } from '../backup/socket.ts';
import { createBackupTasks } from '../backup/tasks.ts';
import { systemClock } from '../base/clock.ts';
import { createIdMaker } from '../base/ids.ts';
import { openLog } from '../base/log.ts';
import { systemRandomBytes } from '../base/random.ts';
import type { Config } from '../config.ts';
import { openWork } from '../doors/work.ts';
import type { BackupTasks, TakenBackup, TestedBackup } from '../features/backups/backup-tasks.ts';
import { recordRun } from '../features/backups/record-run.ts';
import { secretsOf } from '../settings/generated-secrets.ts';
import { createTaskDisplay } from './progress.ts';
import { openStore } from './stores.ts';

export async function backupCommand(config: Config, words: readonly string[]): Promise<void> {
  if (words.join(' ') === '--new-key') {
    const { newBackupKey } = await import('../backup/encryption.ts');
    process.stdout.write(`${await newBackupKey()}\n`);
    return;
  }
  if (words.length > 0) throw new Error('usage: keyrail-server backup [--new-key]');
  const { progress, done } = createTaskDisplay('backup', process.stdout);
  const taken =
    (await asked<TakenBackup>(config, 'backup', progress)) ??
    (await withTasks(config, 'backup', ({ take }) => take(progress)));
  const { backupId, path, rows, bytes } = taken;
  done({ ...taken }, `Backup ${backupId}: ${rows} rows, ${bytes} bytes, in ${path}`);
}

export async function restoreTestCommand(config: Config): Promise<void> {
  const { progress, done } = createTaskDisplay('restore-test', process.stdout);
  const tested =
    (await asked<TestedBackup>(config, 'restore-test', progress)) ??
    (await withTasks(config, 'restore_test', ({ test }) => test(progress)));
  const { backupId, rows, chains } = tested;
  done(
    { ...tested },
    `Backup ${backupId} can be restored: ${rows} rows compared, ${chains} audit chains verified.`,
  );
}

const asked = async <T extends TakenBackup | TestedBackup>(
  { store: { databaseUrl, dataDir } }: Config,
  task: 'backup' | 'restore-test',
  progress: Parameters<BackupTasks['take']>[0],
): Promise<T | null> => (databaseUrl ? null : askServer<T>(dataDir, task, progress));

async function withTasks<T extends { backupId: string }>(
  config: Config,
  kind: 'backup' | 'restore_test',
  run: (tasks: BackupTasks) => Promise<T>,
): Promise<T> {
  refuseWithoutDatabase(config);
  // Standard output contains only the result, so log to standard error.
  const log = openLog(config.logging.logLevel, process.stderr);
  const db = await openStore(config.store, systemClock, log);
  try {
    const newId = createIdMaker(systemClock, systemRandomBytes);
    const { masterKey } = await secretsOf(config);
    const tasks = createBackupTasks({ ...config, masterKey, db, newId });
    const parts = { work: openWork(db, newId), operatorEmail: config.backups.operatorEmail };
    return await recordRun(parts, kind, () => run(tasks));
  } finally {
    await db.close();
  }
}

/** Without this check, a wrong directory would result in a backup of a new, empty database. */
function refuseWithoutDatabase({ store: { databaseUrl, dataDir } }: Config): void {
  if (databaseUrl || existsSync(join(dataDir, 'database', 'PG_VERSION'))) return;
  throw new Error(
    `No embedded database in ${dataDir} (KEYRAIL_DATA_DIR). Point KEYRAIL_DATA_DIR at the ` +
      "server's directory, or set DATABASE_URL.",
  );
}
