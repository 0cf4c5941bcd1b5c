// Sends queued events. Safe in any number of workers: a delivery is claimed before it is sent, and
// only the holder of the claim records the result. If a worker dies after the receiver has got a
// message, the message is sent again with the same id.
import { TEST_EVENT } from '@keyrail/protocol/wire/event-types.ts';
import { DAY_MS, MINUTE_MS, msAfter, SECOND_MS } from '../../base/duration.ts';
import type { Log } from '../../base/log.ts';
import type { BoundSealing } from '../../base/sealing.ts';
import type { Database } from '../../db/database.ts';
import type { OpenWork } from '../../doors/work.ts';
import type { OpenWrite } from '../../doors/write.ts';
import { disableFailing } from './disable-failing.ts';
import { bodyOf, requestFor } from './message.ts';
import {
  claimDue,
  claimOne,
  type DueDelivery,
  removeClaimed,
  updateDelivered,
  updateReleased,
  updateUndelivered,
} from './queue.rows.ts';
import { pauseAfterMs } from './retry-schedule.ts';
import type { Attempt, SendRequest } from './send-request.ts';
import { signingSecretsOf } from './signing-secret.ts';

/** Longer than an attempt may take, with the statements around it. */
const CLAIM_MS = MINUTE_MS;
const IN_FLIGHT_MAX = 64;
const PER_ENDPOINT_MAX = 4;
/** An endpoint that has failed for this long is disabled. */
const FAILING_MS_MAX = 5 * DAY_MS;
const FIRST_ENDPOINT = '00000000-0000-0000-0000-000000000000';

export type WebhookParts = {
  work: OpenWork;
  db: Database;
  /** Opens a write of the system in a workspace. */
  writeIn(workspaceId: string): OpenWrite;
  sendWebhook: SendRequest;
  webhookSealing: BoundSealing;
  /** From 0 to 1. */
  random(): number;
  newId(): string;
  log: Log;
};

export type WebhookSender = {
  /** Starts to send what is due, as far as there is room; false if nothing was due. */
  sendDue(): Promise<boolean>;
  /** Interrupts requests in flight. Resolves when there are none. */
  stop(): Promise<void>;
};

/** Sends one delivery now, unless another process is sending it. */
export async function sendNow(parts: WebhookParts, id: string): Promise<void> {
  const claim = parts.newId();
  const delivery = await parts.work((tx) => claimOne(tx, { id, claim, untilMs: CLAIM_MS }));
  if (delivery) await sendOne(parts, delivery, { claim, stopping: new AbortController().signal });
}

export function createWebhookSender(parts: WebhookParts): WebhookSender {
  const stopping = new AbortController();
  const inFlight = new Map<string, Promise<void>>();
  const perEndpoint = new Map<string, number>();
  let lastEndpoint = FIRST_ENDPOINT;

  function start(delivery: DueDelivery, claim: string): void {
    const { id, endpointId } = delivery;
    const count = (change: number) => {
      const left = (perEndpoint.get(endpointId) ?? 0) + change;
      if (left === 0) perEndpoint.delete(endpointId);
      else perEndpoint.set(endpointId, left);
    };
    count(1);
    const sent = sendOne(parts, delivery, { claim, stopping: stopping.signal })
      // The claim expires, and another attempt follows.
      .catch((error: unknown) => parts.log.warn({ delivery: id, error }, 'a webhook was not sent'))
      .finally(() => {
        count(-1);
        inFlight.delete(id);
      });
    inFlight.set(id, sent);
  }

  return {
    async sendDue() {
      const limit = IN_FLIGHT_MAX - inFlight.size;
      if (limit <= 0 || stopping.signal.aborted) return false;
      const claim = parts.newId();
      const busy = [...perEndpoint].flatMap(([id, count]) => (count < PER_ENDPOINT_MAX ? [] : [id]));
      const due = await parts.work((tx) =>
        claimDue(tx, {
          claim,
          untilMs: CLAIM_MS,
          afterEndpoint: lastEndpoint,
          perEndpointMax: PER_ENDPOINT_MAX,
          limit,
          busy,
        }),
      );
      const wrapped = lastEndpoint !== FIRST_ENDPOINT;
      lastEndpoint = due.reduce((last, { endpointId }) => (endpointId > last ? endpointId : last), '');
      if (due.length < limit) lastEndpoint = FIRST_ENDPOINT;
      for (const delivery of due) start(delivery, claim);
      return due.length > 0 || wrapped;
    },
    async stop() {
      stopping.abort();
      await Promise.all(inFlight.values());
    },
  };
}

type Sending = { claim: string; stopping: AbortSignal };

async function sendOne(
  parts: WebhookParts,
  delivery: DueDelivery,
  { claim, stopping }: Sending,
): Promise<void> {
  const { work, db, webhookSealing, sendWebhook } = parts;
  const { id, url } = delivery;
  const body = await bodyOf(db, delivery);
  if (body === null) return work((tx) => removeClaimed(tx, { id, claim }));
  const { now, secrets } = await work(async (tx) => ({
    now: tx.now,
    secrets: signingSecretsOf(webhookSealing, { ...delivery, id: delivery.endpointId }, tx.now),
  }));
  const timestamp = Math.floor(now.getTime() / SECOND_MS);
  const attempt = await sendWebhook(requestFor(url, { id, timestamp, body }, secrets), stopping);
  if (attempt.error !== null && stopping.aborted) {
    return work((tx) => updateReleased(tx, { id, claim }));
  }
  if (attempt.error === null) await recordSuccess(parts, { id, claim }, attempt);
  else await recordFailure(parts, delivery, { claim, attempt });
}

async function recordSuccess(
  { work, log }: WebhookParts,
  claimed: { id: string; claim: string },
  attempt: Attempt,
): Promise<void> {
  const isRecorded = await work((tx) => updateDelivered(tx, claimed, attempt));
  if (!isRecorded) log.warn({ delivery: claimed.id }, 'a webhook was sent after its claim expired');
}

async function recordFailure(
  parts: WebhookParts,
  { id, endpointId, workspaceId, type, attempts }: DueDelivery,
  { claim, attempt }: { claim: string; attempt: Attempt },
): Promise<void> {
  const pauseMs = type === TEST_EVENT ? null : pauseAfterMs(attempts, parts.random());
  const isOver = await parts.work(async (tx) => {
    const dueAt = pauseMs === null ? null : msAfter(tx.now, pauseMs);
    const failingSince = await updateUndelivered(tx, { id, claim }, { ...attempt, dueAt });
    return failingSince !== null && tx.now.getTime() - failingSince.getTime() >= FAILING_MS_MAX;
  });
  if (isOver) await parts.writeIn(workspaceId)((tx) => disableFailing(tx, endpointId));
}
