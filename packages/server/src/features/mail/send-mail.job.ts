// Sends what is queued. Safe to run twice and from any number of workers: a message is claimed
// before it is sent, a claim lapses, and only its holder may mark the message. A worker that dies
// between the server's "accepted" and the mark sends it again, under the same Message-ID.

import { DAY_MS, MINUTE_MS, msAfter, SECOND_MS } from '../../base/duration.ts';
import { reasonOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Sealing } from '../../base/sealing.ts';
import type { OpenPeople } from '../../doors/people.ts';
import type { OpenWork } from '../../doors/work.ts';
import { resolveMailRequest } from '../accounts/resolve-mail-request.ts';
import { isMailRequest, type MailKind, mailPages } from './kinds.ts';
import { contentOf } from './messages.ts';
import {
  claimDueMail,
  type MailRow,
  removeClaimed,
  updateResolved,
  updateSent,
  updateUnsent,
} from './rows.ts';
import type { MailTransport } from './transport.ts';

/** Longer than a message may take, or two workers would send it. */
const CLAIM_MS = 2 * MINUTE_MS;
const RETRY_MS_MAX = 15 * MINUTE_MS;
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

/** Sends or drops the next message, or tries to; false when none is due. */
export async function sendDueMail(parts: SendParts): Promise<boolean> {
  const claim = parts.newClaim();
  const due = await parts.work((tx) => claimDueMail(tx, { claim, untilMs: CLAIM_MS }));
  if (!due) return false;
  const mail = isMailRequest(due.kind) ? await resolve(parts, due, claim) : due;
  if (mail) await sendOne(parts, mail, claim);
  return true;
}

/** A worker that dies in between leaves a token that no mail carries; the next one replaces it. */
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
    log.warn({ mail: id, attempts, ...toldOf(error, mail.recipient) }, 'a mail could not be sent');
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
  }
  const marked = await work((tx) => updateSent(tx, mail.id, claim));
  if (!marked) log.warn({ mail: mail.id }, 'a mail was sent after its claim had lapsed');
}

/** A mail server that refuses a person says whom, in several places; who it is stays in the row. */
function toldOf(error: unknown, recipient: string): { reason: string; code?: string } {
  const address = new RegExp(recipient.replaceAll(/[^\w@]/g, '\\$&'), 'gi');
  const reason = reasonOf(error).replaceAll(address, '[recipient]').slice(0, ERROR_CHARS_MAX);
  return error instanceof Error && 'code' in error
    ? { reason, code: String(error.code) }
    : { reason };
}

const retryAfterMs = (attempts: number): number =>
  Math.min(SECOND_MS * 2 ** Math.min(attempts, 20), RETRY_MS_MAX);

/** The token is in the fragment: it reaches no server log and no referrer. */
function linkIn({ unseal, publicUrl }: SendParts, { kind, sealedToken }: MailRow): string | null {
  const page = mailPages[kind as MailKind];
  if (!page || !sealedToken) return null;
  return `${publicUrl}${page}#token=${unseal(sealedToken).reveal()}`;
}
