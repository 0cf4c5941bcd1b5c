// Every statement on the worker's own tables.
import { sql } from 'kysely';
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

/** True when the job is due and nobody else runs it: then it is this worker's until it lapses. */
export async function lockJob(
  tx: Work,
  { name, holder, leaseMs }: { name: string; holder: string; leaseMs: number },
): Promise<boolean> {
  const until = new Date(tx.now.getTime() + leaseMs);
  const taken = await maybe(
    tx,
    sql<{ name: string }>`insert into job_leases as lease (name, holder, leased_until, due_at)
      values (${name}, ${holder}, ${until}, ${tx.now})
      on conflict (name) do update set holder = excluded.holder,
        leased_until = excluded.leased_until
      where lease.due_at <= ${tx.now} and lease.leased_until <= ${tx.now}
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
        due_at = ${new Date(tx.now.getTime() + everyMs)}
      where name = ${name} and holder = ${holder}`,
  );
}
