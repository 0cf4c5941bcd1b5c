// The outbox as the worker sees it, for tests about queued, sent and deleted mail.
import { randomUUID } from 'node:crypto';
import { deadlineAfter } from '../packages/server/src/base/deadline.ts';
import type { Work } from '../packages/server/src/doors/work.ts';
import { type SendParts, sendDueMail } from '../packages/server/src/features/mail/send-mail.job.ts';
import type { World } from './world.ts';

export type Queued = {
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

/** The mail for an address that the worker's role sees, oldest first. */
export const queuedFor = ({ app }: World, recipient: string): Promise<Queued[]> =>
  app.worker.work(async (tx: Work) => {
    const text = 'select * from mail_outbox where recipient = $1 order by created_at, id';
    return (await tx.run({ text, values: [recipient] })).rows as unknown as Queued[];
  });

export const partsOf = ({ app }: World, changes: Partial<SendParts> = {}): SendParts => ({
  ...app.worker,
  newClaim: app.worker.newId,
  ...changes,
});

/** Sends mail until nothing is due; returns the number of runs. */
export async function sendAll(world: World, changes: Partial<SendParts> = {}): Promise<number> {
  const parts = partsOf(world, changes);
  let times = 0;
  while (await sendDueMail(parts)) times += 1;
  return times;
}

/** Queues a message without an endpoint. */
export async function queue(
  { db, clock }: World,
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
