// A restore is time travel: nodes, tokens and people may hold newer state than the database. These
// statements put everything that such state could be compared with out of its reach. They run
// inside the restore's transaction, with the guards lifted.
import type pg from 'pg';

/**
 * How far policy versions jump at least. They become the time of the restore in milliseconds if
 * that is more: then a second restore of the same backup is also ahead of every version that the
 * first one gave out, unless a project has more than a thousand changes in every second.
 */
const VERSIONS_AHEAD = 1_000_000_000;

/** Below the maximum of its type even after a million restores. */
const EPOCHS_AHEAD = 1000;

const HELD = 'held: the database was restored after this mail had been queued';

const fences: Record<string, string> = {
  'policy versions moved ahead': `update project_versions set (version, floor) =
    (select ahead, ahead from greatest(version + ${VERSIONS_AHEAD},
      (extract(epoch from app_now()) * 1000)::bigint) ahead)`,
  'embed epochs raised': `update tenants set embed_epoch = embed_epoch + ${EPOCHS_AHEAD}`,
  'sessions ended': `update sessions set ended_at = app_now() where ended_at is null`,
  'one-time tokens ended': `update one_time_tokens set ended_at = app_now() where ended_at is null`,
  'invitations expired': `update invites set expires_at = app_now()
    where accepted_at is null and revoked_at is null and expires_at > app_now()`,
  'mails held': `update mail_outbox
    set failed_at = app_now(), last_error = '${HELD}', sealed_token = null, claim = null
    where sent_at is null and failed_at is null`,
  'leases cleared': 'delete from job_leases',
  'workers forgotten': 'delete from worker_beats',
  // Nodes may run that the backup does not know. Revocations say so until they have reported.
  'records of served time removed': 'delete from served_spans',
  'restore recorded': 'insert into recent_restores values (app_now()) on conflict do nothing',
};

/** What was done, and to how many rows. */
export type Fenced = Record<string, number>;

export async function fence(admin: pg.ClientBase): Promise<Fenced> {
  const done: Fenced = {};
  for (const [what, statement] of Object.entries(fences)) {
    done[what] = (await admin.query(statement)).rowCount ?? 0;
  }
  return done;
}
