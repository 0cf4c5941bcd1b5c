// Backup tasks for the worker and the commands. Each task runs in a separate process, so that it
// doesn't use the server's memory and CPU time.

export type TakenBackup = { backupId: string; path: string; rows: number; bytes: number };

export type TestedBackup = { backupId: string; rows: number; chains: number };

/** Progress of a running task. */
export type TaskProgress = { table: string; rows: number; tables: number; tablesDone: number };

export type BackupTasks = {
  take(report: (progress: TaskProgress) => void): Promise<TakenBackup>;
  /** Restores the newest backup into a scratch database, and checks its contents. */
  test(report: (progress: TaskProgress) => void): Promise<TestedBackup>;
  /** Removes the incomplete files that killed backups have left behind. */
  clear(): Promise<void>;
  /** Removes the oldest backups beyond the number to keep; returns their IDs. */
  prune(): Promise<string[]>;
};

export type BackupSetup = {
  /** Null if this process doesn't take backups. */
  tasks: BackupTasks | null;
  /** Null if backups are not scheduled. */
  everyMs: number | null;
  /**
   * Whether the backups are inside or outside the data directory. Null if a separate worker takes
   * the backups, because its settings may differ.
   */
  place: 'inside' | 'outside' | null;
  operatorEmail: string | null;
};

/** Thrown if the newest backup can't be restored, or its contents don't match its manifest. */
export class TestFailed extends Error {
  readonly backupId: string;

  constructor(backupId: string, reason: string) {
    super(reason);
    this.backupId = backupId;
  }
}

/**
 * Thrown if another process is already backing up the same database. That process will record the
 * result.
 */
export class BackupRunning extends Error {}
