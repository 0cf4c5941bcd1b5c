// All SQL statements for the outbox.
import { msAfter } from '../../base/duration.ts';
import type { Secret } from '../../base/secret.ts';
import { changesOf, type Sql, sql, valuesOf } from '../../base/sql.ts';
import { many, maybe, type Runner } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Write } from '../../doors/door.ts';
import type { People } from '../../doors/people.ts';
import type { Work } from '../../doors/work.ts';
import { isDue, isUnclaimed } from '../jobs/due-times.ts';
import type { MailKind, MailParams, MailRequestParams } from './kinds.ts';
import { CLAIM_MS, LONGEST_PAUSES_MS } from './mail-schedule.ts';

export type MailRow = Tables['mailOutbox'];

type QueuedParams = MailParams & MailRequestParams;

type NewMail<K extends keyof QueuedParams> = {
  kind: K;
  to: string;
  params: QueuedParams[K];
  /** The one-time token for the email's link. */
  token: Secret | null;
};

/** Queues an email in the transaction that triggers it. */
export async function insertMail<K extends keyof QueuedParams>(
  tx: Write | People,
  { kind, to, params, token }: NewMail<K>,
): Promise<void> {
  const values = {
    id: tx.newId(),
    kind,
    recipient: to,
    params: JSON.stringify(params),
    sealedToken: token && tx.seal(token),
    createdAt: tx.now,
    dueAt: tx.now,
    attempts: 0,
  };
  await many(tx as Runner, sql`insert into mail_outbox ${valuesOf(values)}`);
}

/**
 * Queues an email unless an email with the same ID has already been queued. For jobs that may run
 * twice.
 */
export async function insertMailOnce<K extends MailKind>(
  tx: Work,
  { id, kind, to, params }: Omit<NewMail<K>, 'token'> & { id: string },
): Promise<void> {
  const queued = { createdAt: tx.now, dueAt: tx.now, attempts: 0 };
  const values = { id, kind, recipient: to, params: JSON.stringify(params), ...queued };
  await many(tx, sql`insert into mail_outbox ${valuesOf(values)} on conflict (id) do nothing`);
}

/**
 * How many emails to check for one that is due. If the clock has been set back, the first few in
 * the queue may have the wrong due time.
 */
const LOOKED_AT_MAX = 100;

/**
 * Claims the email that has been due the longest. Claims expire, so that another worker can claim a
 * dead worker's email. Only one email is claimed at a time, so that a slow email doesn't delay
 * others.
 */
export const claimDueMail = (tx: Work, { claim }: { claim: string }): Promise<MailRow | null> =>
  maybe(
    tx,
    sql<MailRow>`update mail_outbox set claim = ${claim}, attempts = attempts + 1,
        claimed_until = ${msAfter(tx.now, CLAIM_MS)}
      where id = (
        select id from mail_outbox where id in (
          select id from mail_outbox where sent_at is null and failed_at is null
            and ${isUnclaimed(tx.now, CLAIM_MS)}
          order by due_at limit ${LOOKED_AT_MAX})
          and sent_at is null and failed_at is null and ${isUnclaimed(tx.now, CLAIM_MS)}
          and ${isDue(tx.now, LONGEST_PAUSES_MS)}
        order by due_at limit 1 for update skip locked)
      returning *`,
  );

/**
 * Updates an email only if the caller still holds the claim, so a worker whose claim has been taken
 * over changes nothing.
 */
const updateClaimed = (
  { id, claim }: Claimed,
  changes: Partial<Omit<MailRow, 'params'>>,
): Sql<MailRow> =>
  sql`update mail_outbox set ${changesOf(changes)}
    where id = ${id} and claim = ${claim} returning *`;

type Claimed = { id: string; claim: string };

/** Extends a claim while its email is being sent. */
export async function updateClaim(tx: Work, claimed: Claimed): Promise<void> {
  await many(tx, updateClaimed(claimed, { claimedUntil: msAfter(tx.now, CLAIM_MS) }));
}

/** The email that a queued email request turns into, if the account should get one. */
export type ResolvedMail = { kind: MailKind; recipient: string; sealedToken: Buffer | null };

/**
 * Replaces a queued email request with the email, so that later attempts send the same email. Null
 * if the worker has lost its claim.
 */
export const updateResolved = (
  tx: Work,
  claimed: Claimed,
  resolved: ResolvedMail,
): Promise<MailRow | null> => maybe(tx, updateClaimed(claimed, resolved));

/** Deletes an email request for which no email is sent, so that the address in it isn't kept. */
export async function removeClaimed(tx: Work, { id, claim }: Claimed): Promise<void> {
  await many(tx, sql`delete from mail_outbox where id = ${id} and claim = ${claim}`);
}

export async function updateSent(tx: Work, id: string, claim: string): Promise<boolean> {
  const done = { sentAt: tx.now, sealedToken: null, claim: null };
  return (await maybe(tx, updateClaimed({ id, claim }, done))) !== null;
}

export async function updateUnsent(
  tx: Work,
  claimed: Claimed,
  { dueAt, error, givenUp }: { dueAt: Date; error: string; givenUp: boolean },
): Promise<void> {
  await many(
    tx,
    updateClaimed(claimed, {
      claim: null,
      claimedUntil: null,
      dueAt,
      lastError: error,
      ...(givenUp && { failedAt: tx.now, sealedToken: null }),
    }),
  );
}

/**
 * Deletes emails that were queued before `before` and have been sent or abandoned. Returns how many
 * were deleted.
 */
export const removeOldMail = async (
  tx: Work,
  { before, limit }: { before: Date; limit: number },
): Promise<number> => {
  const removed = await many(
    tx,
    sql<{ id: string }>`delete from mail_outbox where id in (
        select id from mail_outbox where created_at < ${before}
          and coalesce(sent_at, failed_at) is not null limit ${limit})
      returning id`,
  );
  return removed.length;
};
