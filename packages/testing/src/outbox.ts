// The outbox as the worker sees it, for tests of queued, sent and deleted emails.
import { randomUUID } from 'node:crypto';
import { deadlineAfter } from '@keyrail/server/base/deadline.ts';
import type { Work } from '@keyrail/server/doors/work.ts';
import { type SendParts, sendDueMail } from '@keyrail/server/features/mail/send-mail.job.ts';
import type { TestApp } from './test-app.ts';

type Queued = {
  id: string;
  kind: string;
  recipient: string;
  params: Record<string, string>;
  sealedToken: Buffer | null;
  attempts: number;
  claim: string | null;
  dueAt: Date;
  claimedUntil: Date | null;
  sentAt: Date | null;
  failedAt: Date | null;
  lastError: string | null;
};

/** Returns the queued emails to an address as the worker's role sees them, oldest first. */
export const queuedFor = ({ app }: TestApp, recipient: string): Promise<Queued[]> =>
  app.worker.work(async (tx: Work) => {
    const text = 'select * from mail_outbox where recipient = $1 order by created_at, id';
    return (await tx.run({ text, values: [recipient] })).rows as unknown as Queued[];
  });

export const partsOf = ({ app }: TestApp, changes: Partial<SendParts> = {}): SendParts => ({
  ...app.worker,
  newClaim: app.worker.newId,
  ...changes,
});

/** Sends emails until none are due; returns the number of runs. */
export async function sendAll(testApp: TestApp, changes: Partial<SendParts> = {}): Promise<number> {
  const parts = partsOf(testApp, changes);
  let times = 0;
  while (await sendDueMail(parts)) times += 1;
  return times;
}

/** Queues an email directly, without calling an endpoint. */
export async function queue(
  { db, clock }: TestApp,
  mail: { kind: string; to: string; params: Record<string, string> },
): Promise<string> {
  const id = randomUUID();
  await db.once(
    {
      role: 'kr_gate',
      scope: { workspaceId: null, envs: ['live', 'test'] },
      deadline: deadlineAfter(3000),
    },
    {
      text: `insert into mail_outbox (id, kind, recipient, params, created_at, due_at, attempts)
        values ($1, $2, $3, $4, $5, $5, 0)`,
      values: [id, mail.kind, mail.to, JSON.stringify(mail.params), clock.now()],
    },
  );
  return id;
}
