// Checks that a worker is running and no emails are stuck. Also checks whether several API
// processes run without Redis, because each would then count rate limits separately.
import { fault, fine, type Outcome, orFine, warning } from './finding.ts';
import type { Inspection } from './inspection.ts';

const MAIL_LATE_MINUTES = 10;

export async function checkWorker(inspection: Inspection): Promise<Outcome[]> {
  const [facts] = await inspection.queryAs<{ isSeen: boolean | null }>('kr_worker', SEEN);
  if (facts?.isSeen !== true) {
    return [
      warning(
        "No worker has been seen in the last 30 seconds, so emails aren't sent and signing keys aren't rotated.",
        'Run one: keyrail-server worker, or keyrail-server start.',
      ),
    ];
  }
  return [fine('A worker is running.')];
}

const SEEN = `
  select bool_or(seen_at > app_now() - interval '30 seconds' and seen_at <= app_now()) as "isSeen"
  from worker_beats`;

/** Reports emails that are stuck, or were given up on in the last day. */
export async function checkMailQueue(inspection: Inspection): Promise<Outcome[]> {
  const [facts] = await inspection.queryAs<MailFacts>('kr_worker', MAIL, [MAIL_LATE_MINUTES]);
  if (!facts) return [];
  const { late, failed, reason } = facts;
  const why = reason === null ? '' : `: ${reason}`;
  const remedy =
    'See the finding about email. Emails that Keyrail gave up on must be requested again.';
  return orFine(
    [
      ...(late > 0
        ? [
            warning(
              `${late} emails have been waiting for more than ${MAIL_LATE_MINUTES} minutes${why}.`,
              remedy,
            ),
          ]
        : []),
      ...(failed > 0
        ? [warning(`Keyrail gave up on ${failed} emails in the last day${why}.`, remedy)]
        : []),
    ],
    'No emails are waiting.',
  );
}

type MailFacts = { late: number; failed: number; reason: string | null };

const MAIL = `
  select count(*) filter (where failed_at is null)::int as late,
    count(failed_at)::int as failed, max(last_error) as reason
  from mail_outbox
  where sent_at is null and (failed_at > app_now() - interval '1 day'
    or failed_at is null and created_at < app_now() - $1 * interval '1 minute')`;

/** Without Redis, only one API process may run. Reports a fault if there are several. */
export async function checkApiCount(inspection: Inspection): Promise<Outcome[]> {
  const [row] = await inspection.queryAs<{ running: number }>('kr_gate', RUNNING);
  const running = row?.running ?? 0;
  if (running < 2) return [];
  return [
    fault(
      `${running} API processes are running without Redis, so each one allows the full rate limit.`,
      'Set REDIS_URL in all of them, or run only one.',
    ),
  ];
}

// Each API process updates its row every 5 seconds. A process that has only just started isn't
// counted, because it may be replacing another process.
const RUNNING = `
  select count(*)::int as running from served_spans
  where ended_at > app_now() - interval '12 seconds'
    and began_at < app_now() - interval '20 seconds'`;
