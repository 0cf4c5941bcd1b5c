// The tasks of backups, as the worker and the commands use them. Each runs in a program of its own,
// so that its memory and its CPU time are not those of the server.

export type TakenBackup = { backupId: string; path: string; rows: number; bytes: number };

export type TestedBackup = { backupId: string; rows: number; chains: number };

/** Progress of a running task. */
export type TaskProgress = { table: string; rows: number; tables: number; tablesDone: number };

export type BackupTasks = {
  take(report: (progress: TaskProgress) => void): Promise<TakenBackup>;
  /** Restores the newest backup into a scratch database, and checks what it holds. */
  test(report: (progress: TaskProgress) => void): Promise<TestedBackup>;
  /** Removes what killed backups have left. */
  clear(): Promise<void>;
  /** Removes the oldest backups beyond the number to keep; returns their ids. */
  prune(): Promise<string[]>;
};

export type BackupSetup = {
  /** Null: this process makes no backups. */
  tasks: BackupTasks | null;
  /** Null: backups are not scheduled. */
  everyMs: number | null;
  /** Null: a worker with settings of its own makes the backups. */
  place: 'inside' | 'outside' | null;
  operatorEmail: string | null;
};

/** The newest backup cannot be restored, or does not hold what it says. */
export class TestFailed extends Error {
  readonly backupId: string;

  constructor(backupId: string, reason: string) {
    super(reason);
    this.backupId = backupId;
  }
}

/** Another process runs a backup of the same database, and records its result. */
export class BackupRunning extends Error {}
