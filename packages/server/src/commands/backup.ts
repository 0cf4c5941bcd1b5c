// keyrail-server backup and restore-test. On the embedded store a running server does the work, and
// without one the command uses the directory itself.
import { askServer } from '../backup/socket.ts';
import type { Config } from '../config.ts';
import type { TakenBackup, TestedBackup } from '../features/backups/tasks.ts';
import { createTaskDisplay, type TaskDisplay } from './progress.ts';

export async function backupCommand(config: Config, words: readonly string[]): Promise<void> {
  if (words.join(' ') === '--new-key') {
    const { newBackupKey } = await import('../backup/encryption.ts');
    process.stdout.write(`${await newBackupKey()}\n`);
    return;
  }
  if (words.length > 0) throw new Error('usage: keyrail-server backup [--new-key]');
  const display = createTaskDisplay('backup', process.stdout);
  const taken =
    (await asked<TakenBackup>(config, 'backup', display)) ??
    (await (await ownTasks()).takeHere(config, display.progress));
  const { backupId, path, rows, bytes } = taken;
  display.done({ ...taken }, `Backup ${backupId}: ${rows} rows, ${bytes} bytes, in ${path}`);
}

export async function restoreTestCommand(config: Config): Promise<void> {
  const display = createTaskDisplay('restore-test', process.stdout);
  const tested =
    (await asked<TestedBackup>(config, 'restore-test', display)) ??
    (await (await ownTasks()).testHere(config, display.progress));
  const { backupId, rows, chains } = tested;
  display.done(
    { ...tested },
    `Backup ${backupId} can be restored: ${rows} rows compared, ${chains} audit chains verified.`,
  );
}

const asked = async <T extends TakenBackup | TestedBackup>(
  { databaseUrl, dataDir }: Config,
  task: 'backup' | 'restore-test',
  { progress }: TaskDisplay,
): Promise<T | null> => (databaseUrl ? null : askServer<T>(dataDir, task, progress));

/** Imported when it is needed: it loads the whole server. */
const ownTasks = () => import('./backup-here.ts');
