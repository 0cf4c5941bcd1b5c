// What the programs of backups are asked to do, and what they report. Both sides are the same
// version of the server, so a message has the form that the other side gave it.
import { monotonicMs } from '../base/clock.ts';
import type { TakenBackup, TaskProgress, TestedBackup } from '../features/backups/tasks.ts';
import type { Place } from './sessions.ts';

/**
 * Settings that both tasks need. They hold secrets, so they are sent, not put into arguments.
 * `scratch`: a directory that only this task uses.
 */
type Shared = { into: string; key: string | null; scratch: string };

/** `part`: the name of the backup while it is incomplete. */
export type BackupOrder = Shared & {
  task: 'backup';
  place: Place;
  part: string;
  masterKeyMark: string;
  /** Signs the heads of the audit chains; null if the database refuses to keep a new key. */
  anchorKey: { kid: string; pkcs8: string } | null;
};

export type TestOrder = Shared & { task: 'restore-test' };

export type Order = BackupOrder | TestOrder;

/** What a task leaves behind if it is interrupted. */
export const leftBy = (order: Order): string[] =>
  order.task === 'backup' ? [order.scratch, `${order.into}/${order.part}`] : [order.scratch];

export type Report =
  | { kind: 'progress'; progress: TaskProgress }
  | { kind: 'done'; result: TakenBackup | TestedBackup }
  /** `backupId`: the backup that did not pass its test; null for other failures. */
  | { kind: 'failed'; reason: string; isRunning: boolean; backupId: string | null };

type ReportProgress = (progress: TaskProgress) => void;

/** Reports are for people, so a few in a second are enough. */
const REPORT_EVERY_MS = 200;

export function paced(report: ReportProgress): ReportProgress {
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  return (progress) => {
    if (monotonicMs() - reportedAtMs < REPORT_EVERY_MS) return;
    reportedAtMs = monotonicMs();
    report(progress);
  };
}
