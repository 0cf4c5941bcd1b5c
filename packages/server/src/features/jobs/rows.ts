// Every statement on the worker's own tables.
import { sql } from 'kysely';
import { msAfter } from '../../base/duration.ts';
import { many, maybe } from '../../db/sql.ts';
import type { Work } from '../../doors/work.ts';

/** This worker is alive; those not seen for a day are forgotten. */
export async function updateBeat(tx: Work, workerId: string): Promise<void> {
  await many(
    tx,
    sql`insert into worker_beats (worker_id, seen_at) values (${workerId}, ${tx.now})
      on conflict (worker_id) do update set seen_at = excluded.seen_at`,
  );
  await many(
    tx,
    sql`delete from worker_beats where seen_at < ${tx.now}::timestamptz - interval '1 day'`,
  );
}

/**
 * True when the job is due and nobody else runs it: then it is this worker's until it lapses. What
 * is further off than any clock could have put it was written by one that has been set back since.
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
        -- If it was set back by less than a lease, the holder may still be at work.
        and (lease.leased_until <= ${tx.now} or lease.leased_until > ${msAfter(tx.now, 2 * leaseMs)})
      returning lease.name`,
  );
  return taken !== null;
}

/** Done: due again after its interval. Only its holder may say so. */
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
