// SQL statements for policy versions and for served_spans, which records when API processes were
// serving. See served_since() in the migrations.
import { MINUTE_MS, SECOND_MS } from '../../base/duration.ts';
import { sql } from '../../base/sql.ts';
import { many, one, type Runner } from '../../db/sql.ts';
import type { PolicyVersion } from '../../doors/door.ts';

/**
 * Each process regularly records a note that it is serving. If two notes are further apart than
 * this, the process may not have been serving in between.
 */
export const NOTES_APART_MS_MAX = 10 * SECOND_MS;

/**
 * How long to keep records of the time during which the server was up. Must be longer than any
 * query looks back.
 */
export const SERVED_KEPT_MS = 10 * MINUTE_MS;

/**
 * How many spans of served time to keep, which is enough for several per process. If a span is
 * deleted, nodes only count as live for longer than they should.
 */
const SPANS_MAX = 1000;

export type ServedSpan = { id: string; notedAt: Date | null };

/**
 * Records that a process has served since its last note, and returns the time of this note. Nothing
 * is recorded for a first note, after too long a pause, or if the clock was set back.
 */
export async function noteServed(runner: Runner, { id, notedAt }: ServedSpan): Promise<Date> {
  const { now } = await one(
    runner,
    sql<{ now: Date }>`
      with clock as materialized (select app_now() as now), noted as (
        insert into served_spans (id, began_at, ended_at)
        select ${id}, ${notedAt}::timestamptz, now from clock
        where now > ${notedAt}::timestamptz
          and now <= ${notedAt}::timestamptz + ${NOTES_APART_MS_MAX} * interval '1 millisecond'
        on conflict (id) do update set ended_at = excluded.ended_at
      )
      select now from clock`,
  );
  return now;
}

/**
 * Removes spans that are too old to matter, and spans that are in the future because the clock has
 * since been set back.
 */
export async function removeOldSpans(runner: Runner): Promise<void> {
  await many(
    runner,
    sql`delete from served_spans where ended_at > app_now()
      or ended_at < (select served_since(${SERVED_KEPT_MS} * interval '1 millisecond'))
      or id in (select id from served_spans order by ended_at desc offset ${SPANS_MAX})`,
  );
}

/** Finds the policy versions of these projects; unknown projects are omitted. */
export const findVersions = (
  runner: Runner,
  projectIds: readonly string[],
): Promise<PolicyVersion[]> =>
  many(
    runner,
    sql<PolicyVersion>`select project_id, version from project_versions
      where project_id = any (${projectIds}::uuid[])`,
  );
