// Sends queued emails. Safe to run twice and in any number of workers: an email is claimed before
// it is sent, the claim is renewed while it is being sent, and only the claim's holder may update
// it. A claim that isn't renewed expires. So if a worker dies, is paused or loses the database for
// two minutes after the SMTP server has accepted an email, the email is sent again with the same
// Message-ID.

import { DAY_MS, msAfter } from '../../base/duration.ts';
import { reasonOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Sealing } from '../../base/sealing.ts';
import type { OpenPeople } from '../../doors/people.ts';
import type { OpenWork } from '../../doors/work.ts';
import { resolveMailRequest } from '../accounts/resolve-mail-request.ts';
import { isMailRequest, type MailKind, mailPages } from './kinds.ts';
import { CLAIM_MS, retryAfterMs } from './mail-schedule.ts';
import { contentOf } from './messages.ts';
import {
  claimDueMail,
  type MailRow,
  removeClaimed,
  updateClaim,
  updateResolved,
  updateSent,
  updateUnsent,
} from './rows.ts';
import type { MailTransport } from './transport.ts';

/**
 * How often a claim is renewed. Sending has no time limit, because an SMTP server may take a long
 * time to send each reply.
 */
const RENEW_MS = CLAIM_MS / 4;
const GIVE_UP_AFTER_MS = 3 * DAY_MS;
const ERROR_CHARS_MAX = 500;

export type SendParts = {
  work: OpenWork;
  people: OpenPeople;
  transport: MailTransport;
  unseal: Sealing['unseal'];
  publicUrl: string;
  newClaim(): string;
  log: Log;
};

/**
 * Handles the next due item in the queue. An email is sent. A request for an email is first turned
 * into that email, or deleted if its account gets none. Returns false if nothing is due.
 */
export async function sendDueMail(parts: SendParts): Promise<boolean> {
  const claim = parts.newClaim();
  const due = await parts.work((tx) => claimDueMail(tx, { claim }));
  if (!due) return false;
  const mail = isMailRequest(due.kind) ? await resolve(parts, due, claim) : due;
  if (mail) await sendOne(parts, mail, claim);
  return true;
}

/**
 * Turns an email request into an email. If the worker dies between the two transactions, it leaves
 * behind an unused token, which the next run replaces.
 */
async function resolve(
  { work, people }: SendParts,
  request: MailRow,
  claim: string,
): Promise<MailRow | null> {
  const { id } = request;
  const resolved = await people((tx) => resolveMailRequest(tx, request));
  return work(async (tx) => {
    if (resolved) return updateResolved(tx, { id, claim }, resolved);
    await removeClaimed(tx, { id, claim });
    return null;
  });
}

async function sendOne(parts: SendParts, mail: MailRow, claim: string): Promise<void> {
  const { work, transport, log } = parts;
  const renewing = setInterval(() => void renew(parts, mail.id, claim), RENEW_MS);
  renewing.unref();
  try {
    await transport.send({
      id: mail.id,
      kind: mail.kind,
      to: mail.recipient,
      createdAt: mail.createdAt,
      ...contentOf(mail.kind as MailKind, mail.params, linkIn(parts, mail)),
    });
  } catch (error) {
    const { id, attempts } = mail;
    log.warn({ mail: id, attempts, ...logged(error, mail.recipient) }, 'failed to send an email');
    await work((tx) =>
      updateUnsent(
        tx,
        { id: mail.id, claim },
        {
          dueAt: msAfter(tx.now, retryAfterMs(mail.attempts)),
          error: reasonOf(error).slice(0, ERROR_CHARS_MAX),
          givenUp: tx.now.getTime() - mail.createdAt.getTime() > GIVE_UP_AFTER_MS,
        },
      ),
    );
    return;
  } finally {
    clearInterval(renewing);
  }
  const marked = await work((tx) => updateSent(tx, mail.id, claim));
  if (!marked)
    log.warn(
      { mail: mail.id },
      'an email was sent but could not be marked as sent; it may be sent again',
    );
}

async function renew({ work, log }: SendParts, id: string, claim: string): Promise<void> {
  try {
    await work((tx) => updateClaim(tx, { id, claim }));
  } catch (error) {
    log.warn({ mail: id, reason: reasonOf(error) }, 'failed to renew the claim on an email');
  }
}

/** SMTP errors contain the recipient's address, which must not be logged. */
function logged(error: unknown, recipient: string): { reason: string; code?: string } {
  const address = new RegExp(recipient.replaceAll(/[^\w@]/g, '\\$&'), 'gi');
  const reason = reasonOf(error).replaceAll(address, '[recipient]').slice(0, ERROR_CHARS_MAX);
  return error instanceof Error && 'code' in error
    ? { reason, code: String(error.code) }
    : { reason };
}

/**
 * The token is in the URL fragment, so that it never ends up in a server log or a Referer header.
 */
function linkIn({ unseal, publicUrl }: SendParts, { kind, sealedToken }: MailRow): string | null {
  const page = mailPages[kind as MailKind];
  if (!page || !sealedToken) return null;
  return `${publicUrl}${page}#token=${unseal(sealedToken).reveal()}`;
}
