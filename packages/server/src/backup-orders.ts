// What the programs of backups are asked to do, and what they report. Both sides are the same
// version of the server, so a message has the form that the other side gave it.
import type { Place } from './db/backup/sessions.ts';
import type { TakenBackup, TaskProgress, TestedBackup } from './features/backups/tasks.ts';

/** Settings that both tasks need. They hold secrets, so they are sent, not put into arguments. */
type Shared = { into: string; key: string | null };

export type BackupOrder = Shared & { task: 'backup'; place: Place; masterKeyMark: string };

/** `scratch`: a directory that does not exist yet. */
export type TestOrder = Shared & { task: 'restore-test'; scratch: string };

export type Order = BackupOrder | TestOrder;

export type Report =
  | { kind: 'progress'; progress: TaskProgress }
  | { kind: 'done'; result: TakenBackup | TestedBackup }
  | { kind: 'failed'; reason: string; isRunning: boolean };
