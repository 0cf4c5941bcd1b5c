// Every statement on the results of backups.
import { type Insertable, sql } from 'kysely';
import { build, many, maybe } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Work } from '../../doors/work.ts';

type Columns = Tables['backupRuns'];

/** Rows of each kind that are kept. */
const KEPT_ROWS = 500;

export type NewRun = Omit<Insertable<Columns>, 'id' | 'endedAt'>;

/**
 * Adds a result, and removes the oldest ones and those in the future: they were recorded before the
 * clock was set back, and would count as newer than this one when the clock gets there.
 */
export async function insertRun(tx: Work, run: NewRun): Promise<void> {
  const values = { ...run, id: tx.newId(), endedAt: tx.now };
  await many(tx, build.insertInto('backupRuns').values(values));
  await many(
    tx,
    sql`delete from backup_runs where kind = ${run.kind} and (ended_at > ${tx.now} or ended_at < (
      select ended_at from backup_runs where kind = ${run.kind}
      order by ended_at desc offset ${KEPT_ROWS - 1} limit 1))`,
  );
}

/** Whether the newest run of a kind passed; null if there is none. */
export async function findLastPassed(tx: Work, kind: Columns['kind']): Promise<boolean | null> {
  const newest = build.selectFrom('backupRuns').select('passed').where('kind', '=', kind);
  const known = newest.where('endedAt', '<=', tx.now);
  const found = await maybe(tx, known.orderBy('endedAt', 'desc').limit(1));
  return found?.passed ?? null;
}
