// After a restore, nodes, tokens and users may have state that is newer than the database. These
// statements make sure that such state can't match anything in the restored database. They run
// inside the restore's transaction, with triggers and row-level security disabled.
import { signingPurposes } from '@keyrail/protocol/wire/signing-purposes.ts';
import type pg from 'pg';
import { systemClock } from '../base/clock.ts';
import { DAY_MS } from '../base/duration.ts';
import { createIdMaker } from '../base/ids.ts';
import { systemRandomBytes } from '../base/random.ts';
import type { Secret } from '../base/secret.ts';
import type { Work } from '../doors/work.ts';
import { signingPartsOf } from '../signing/parts.ts';
import { rotateSigningKey } from '../signing/rotate-signing-key.ts';
import { clockOf, runnerOn } from './sessions.ts';

/** How far a policy version is raised if it is ahead of the clock. */
const VERSIONS_AHEAD = 1_000_000_000;

/** The current time in milliseconds, which policy versions are set to. */
const clock = '(extract(epoch from app_now()) * 1000)::bigint';

/**
 * Sets every version to the time of the restore. That is higher than any version a node has seen,
 * provided that the clock is past all earlier restores and no project has had more than a thousand
 * changes a second since the last restore. The versions in the backup can't be used instead,
 * because the backup doesn't include the changes that were lost with the database. A version ahead
 * of the clock means that the clock was set back, or that an earlier release did the restore. Such
 * a version is instead raised by a fixed step. If nodes report a higher version, the operator
 * passes it as `aheadOf`.
 */
const versions = `update project_versions set (version, floor) =
  (select ahead, ahead from greatest($1::bigint + 1,
    case when version < ${clock} then ${clock} else version + ${VERSIONS_AHEAD} end) ahead)`;

/**
 * How far a restore raises embed epochs. After a million restores, they are still below their
 * type's maximum.
 */
const EPOCHS_AHEAD = 1000;

const HELD = 'held: the database was restored after this email was queued';

const fences: Record<string, string> = {
  'embed epochs raised': `update tenants set embed_epoch = embed_epoch + ${EPOCHS_AHEAD}`,
  'sessions ended': `update sessions set ended_at = app_now() where ended_at is null`,
  'one-time tokens ended': `update one_time_tokens set ended_at = app_now() where ended_at is null`,
  'invitations expired': `update invites set expires_at = app_now()
    where accepted_at is null and revoked_at is null and expires_at > app_now()`,
  'emails held back': `update mail_outbox
    set failed_at = app_now(), last_error = '${HELD}', sealed_token = null, claim = null
    where sent_at is null and failed_at is null`,
  'job leases cleared': 'delete from job_leases',
  'worker records removed': 'delete from worker_beats',
  // Some running nodes may not be in the backup. Until they have had time to poll, revocations are
  // reported as incomplete.
  'serving records removed': 'delete from served_spans',
  'restore recorded': 'insert into recent_restores values (app_now()) on conflict do nothing',
};

/** The number of rows each step changed, keyed by the step's description. */
export type Fenced = Record<string, number>;

export type FenceOrder = {
  /** The highest version any node is known to have; 0 if none is known. */
  aheadOf: number;
};

export async function fence(admin: pg.ClientBase, { aheadOf }: FenceOrder): Promise<Fenced> {
  const unreached = await admin.query(`select from project_versions where version >= ${clock}`);
  const moved = await admin.query(versions, [aheadOf]);
  const done: Fenced = {
    'policy versions moved ahead': moved.rowCount ?? 0,
    'policy versions that the clock had not reached': unreached.rowCount ?? 0,
  };
  for (const [what, statement] of Object.entries(fences)) {
    done[what] = (await admin.query(statement)).rowCount ?? 0;
  }
  return done;
}

/**
 * Replaces the signing keys. This is separate from the statements above, because it needs the
 * master key. Tokens signed with older keys stop working; anchors signed with them still verify.
 */
export const replaceSigningKeys =
  (masterKey: Secret) =>
  async (session: pg.ClientBase): Promise<void> => {
    // This schedule has no effect, because the new key replaces the old keys immediately.
    const schedule = { rotateEveryMs: DAY_MS, publishWaitMs: 0 };
    const parts = signingPartsOf({ masterKey, randomBytes: systemRandomBytes, ...schedule });
    const work: Work = {
      kind: 'work',
      now: await clockOf(session),
      newId: createIdMaker(systemClock, systemRandomBytes),
      ...runnerOn(session),
    };
    for (const purpose of signingPurposes) {
      await rotateSigningKey(work, parts, { purpose, cause: 'immediately' });
    }
  };
