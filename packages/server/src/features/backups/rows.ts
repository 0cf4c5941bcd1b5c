// All SQL statements for the results of backups and restore tests.
import { sql, valuesOf } from '../../base/sql.ts';
import { many, maybe } from '../../db/sql.ts';
import type { Work } from '../../doors/work.ts';

/** How many results of each kind to keep. */
const KEPT_ROWS = 500;

export type NewRun = {
  kind: 'backup' | 'restore_test';
  backupId: string | null;
  startedAt: Date;
  passed: boolean;
  reason: string | null;
  bytes: number | null;
};

/**
 * Adds a result, and removes the oldest results and any dated in the future. A result dated in the
 * future was recorded before the clock was set back, and would later count as newer than this one.
 */
export async function insertRun(tx: Work, run: NewRun): Promise<void> {
  const values = { ...run, id: tx.newId(), endedAt: tx.now };
  await many(tx, sql`insert into backup_runs ${valuesOf(values)}`);
  await many(
    tx,
    sql`delete from backup_runs where kind = ${run.kind} and (ended_at > ${tx.now} or ended_at < (
      select ended_at from backup_runs where kind = ${run.kind}
      order by ended_at desc offset ${KEPT_ROWS - 1} limit 1))`,
  );
}

/** Returns whether the newest run of this kind passed, or null if there hasn't been a run. */
export async function findLastPassed(tx: Work, kind: NewRun['kind']): Promise<boolean | null> {
  const found = await maybe(
    tx,
    sql<{ passed: boolean }>`select passed from backup_runs
      where kind = ${kind} and ended_at <= ${tx.now} order by ended_at desc limit 1`,
  );
  return found?.passed ?? null;
}
