// All SQL statements for the worker's own tables.

import { msAfter } from '../../base/duration.ts';
import { sql } from '../../base/sql.ts';
import { many, maybe } from '../../db/sql.ts';
import type { Work } from '../../doors/work.ts';

/**
 * Records that this worker is alive. Removes workers that haven't been seen for a day, and workers
 * that were last seen in the future because the clock has since been set back.
 */
export async function updateHeartbeat(tx: Work, workerId: string): Promise<void> {
  await many(
    tx,
    sql`insert into worker_beats (worker_id, seen_at) values (${workerId}, ${tx.now})
      on conflict (worker_id) do update set seen_at = excluded.seen_at`,
  );
  await many(
    tx,
    sql`delete from worker_beats
      where seen_at < ${tx.now}::timestamptz - interval '1 day'
        or seen_at > ${tx.now}::timestamptz + interval '1 minute'`,
  );
}

/**
 * Leases the job to this worker if it is due and no other worker is running it; otherwise returns
 * false. If a stored time is too far ahead, it was written before the clock was set back, and
 * counts as past.
 */
export async function lockJob(
  tx: Work,
  wanted: { name: string; holder: string; leaseMs: number; everyMs: number },
): Promise<boolean> {
  const { name, holder, leaseMs, everyMs } = wanted;
  const until = msAfter(tx.now, leaseMs);
  const taken = await maybe(
    tx,
    sql<{ name: string }>`insert into job_leases as lease (name, holder, leased_until, due_at)
      values (${name}, ${holder}, ${until}, ${tx.now})
      on conflict (name) do update set holder = excluded.holder,
        leased_until = excluded.leased_until
      where (lease.due_at <= ${tx.now} or lease.due_at > ${msAfter(tx.now, everyMs)})
        -- If the clock was set back by less than the lease, the holder may still be working.
        and (lease.leased_until <= ${tx.now} or lease.leased_until > ${msAfter(tx.now, 2 * leaseMs)})
      returning lease.name`,
  );
  return taken !== null;
}

/** Sets when a job that has never run is first due. */
export async function insertJob(
  tx: Work,
  { name, holder, firstAfterMs }: { name: string; holder: string; firstAfterMs: number },
): Promise<void> {
  await many(
    tx,
    sql`insert into job_leases (name, holder, leased_until, due_at)
      values (${name}, ${holder}, ${tx.now}, ${msAfter(tx.now, firstAfterMs)})
      on conflict do nothing`,
  );
}

/** Extends the lease of a job that is still running. Does nothing for a former holder. */
export async function updateLease(
  tx: Work,
  { name, holder, leaseMs }: { name: string; holder: string; leaseMs: number },
): Promise<void> {
  await many(
    tx,
    sql`update job_leases set leased_until = ${msAfter(tx.now, leaseMs)}
      where name = ${name} and holder = ${holder}`,
  );
}

/** Ends the lease and makes the job due after its interval. Does nothing for a former holder. */
export async function updateJobDone(
  tx: Work,
  { name, holder, everyMs }: { name: string; holder: string; everyMs: number },
): Promise<void> {
  await many(
    tx,
    sql`update job_leases set leased_until = ${tx.now},
        due_at = ${msAfter(tx.now, everyMs)}
      where name = ${name} and holder = ${holder}`,
  );
}
