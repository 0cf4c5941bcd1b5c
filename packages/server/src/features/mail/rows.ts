// Every statement on the outbox.
import { type Selectable, sql } from 'kysely';
import type { Secret } from '../../base/secret.ts';
import { build, many, maybe, type Runner } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Write } from '../../doors/door.ts';
import type { People } from '../../doors/people.ts';
import type { Work } from '../../doors/work.ts';
import type { MailKind, MailParams } from './kinds.ts';

export type MailRow = Selectable<Tables['mailOutbox']>;

export type NewMail<K extends MailKind = MailKind> = {
  kind: K;
  to: string;
  params: MailParams[K];
  /** The one-time token that the link carries. */
  token: Secret | null;
};

/** Queues a message in the transaction that causes it. */
export async function insertMail<K extends MailKind>(
  tx: Write | People,
  { kind, to, params, token }: NewMail<K>,
): Promise<void> {
  await many(
    tx as Runner,
    build.insertInto('mailOutbox').values({
      id: tx.newId(),
      kind,
      recipient: to,
      params: JSON.stringify(params),
      sealedToken: token && tx.seal(token),
      createdAt: tx.now,
      dueAt: tx.now,
      attempts: 0,
    }),
  );
}

/**
 * The same for an address that may have nobody behind it: one statement either way, which writes
 * a row only when there is an account.
 */
export async function insertMailIfKnown<K extends MailKind>(
  tx: People,
  userId: string | null,
  { kind, params, token }: Omit<NewMail<K>, 'to'>,
): Promise<void> {
  await many(
    tx,
    sql`insert into mail_outbox
        (id, kind, recipient, params, sealed_token, created_at, due_at, attempts)
      select ${tx.newId()}::uuid, ${kind}, email, ${JSON.stringify(params)}::json,
        ${token && tx.seal(token)}::bytea, ${tx.now}::timestamptz, ${tx.now}::timestamptz, 0
      from users where id = ${userId}`,
  );
}

/**
 * Takes the message that has been due longest, under a claim that lapses: a worker that dies keeps
 * nothing for ever. One at a time, so that a slow one holds up no claim but its own.
 */
export const claimDueMail = (
  tx: Work,
  { claim, untilMs }: { claim: string; untilMs: number },
): Promise<MailRow | null> =>
  maybe(
    tx,
    sql<MailRow>`update mail_outbox set claim = ${claim}, attempts = attempts + 1,
        claimed_until = ${new Date(tx.now.getTime() + untilMs)}
      where id = (
        select id from mail_outbox
        where sent_at is null and failed_at is null and due_at <= ${tx.now}
          and (claimed_until is null or claimed_until <= ${tx.now})
        order by due_at limit 1 for update skip locked)
      returning *`,
  );

/** Only by whoever still holds the claim: a worker that was paused past it changes nothing. */
const claimed = (id: string, claim: string) =>
  build.updateTable('mailOutbox').where('id', '=', id).where('claim', '=', claim);

export async function updateSent(tx: Work, id: string, claim: string): Promise<boolean> {
  const done = claimed(id, claim).set({ sentAt: tx.now, sealedToken: null, claim: null });
  return (await maybe(tx, done.returning('id'))) !== null;
}

export async function updateUnsent(
  tx: Work,
  { id, claim }: { id: string; claim: string },
  { dueAt, error, givenUp }: { dueAt: Date; error: string; givenUp: boolean },
): Promise<void> {
  await many(
    tx,
    claimed(id, claim).set({
      claim: null,
      claimedUntil: null,
      dueAt,
      lastError: error,
      ...(givenUp && { failedAt: tx.now, sealedToken: null }),
    }),
  );
}

/** Removes what was queued long ago and is done with; returns how many rows it removed. */
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
