// Sends queued events. Safe to run in any number of workers: a delivery is claimed before it is
// sent, and only the claim's holder records the result. If a worker dies after a message has been
// delivered, the message is sent again with the same ID.
import { setTimeout as sleep } from 'node:timers/promises';
import { TEST_EVENT } from '@keyrail/protocol/wire/event-types.ts';
import { msAfter, SECOND_MS } from '../../base/duration.ts';
import type { Log } from '../../base/log.ts';
import type { BoundSealing } from '../../base/sealing.ts';
import type { Read } from '../../doors/door.ts';
import { allEnvs, type Reach } from '../../doors/reach.ts';
import type { OpenWork } from '../../doors/work.ts';
import type { OpenWrite } from '../../doors/write.ts';
import { findAuditRow } from '../audit/rows.ts';
import { CLAIM_MS, hasFailedTooLong, pauseAfterMs } from './attempt-schedule.ts';
import { disableFailing } from './disable-failing.ts';
import type { Place } from './host-names.ts';
import { presentEvent, presentNotice } from './present.ts';
import {
  claimDue,
  claimOwn,
  type DueDelivery,
  listWaiting,
  removeClaimed,
  updateDelivered,
  updateReleased,
  updateUndelivered,
} from './queue.rows.ts';
import type { QueuedTest } from './queue-test.ts';
import type { SendingSlots } from './sending-slots.ts';
import { requestFor } from './signed-request.ts';
import { signingSecretsOf } from './signing-secret.ts';
import type { Attempt, SendRequest } from './webhook-request.ts';

/** The maximum number of endpoints considered in one round. */
const ENDPOINTS_MAX = 1000;
const FIRST_ENDPOINT = '00000000-0000-0000-0000-000000000000';
/** The longest wait for a slot before the queue is checked again. */
const SLOT_WAIT_MS = SECOND_MS / 2;
/** How long a test waits for a slot, and how often it looks for a free one. */
const TEST_WAIT_MS = 10 * SECOND_MS;
const TEST_LOOK_MS = SECOND_MS / 10;

export type WebhookParts = {
  work: OpenWork;
  readIn(reach: Reach): Read;
  /** Opens a transaction for a change made by the server itself. */
  writeIn(workspaceId: string): OpenWrite;
  sendWebhook: SendRequest;
  /**
   * The slots for requests in progress, shared by everything in this process that sends webhooks.
   */
  slots: SendingSlots;
  webhookSealing: BoundSealing;
  nowMs(): number;
  /** Returns a random number from 0 to 1. */
  random(): number;
  newId(): string;
  log: Log;
};

export type WebhookSender = {
  /** Starts sending due deliveries while there are free slots; false if nothing was due. */
  sendDue(): Promise<boolean>;
  /** Interrupts the requests in progress. Resolves once none are left. */
  stop(): Promise<void>;
};

/**
 * Sends a test that this process has queued for itself, using the lookup slot it already holds. If
 * no sending slot becomes free in time, the test stays queued until a worker sends it.
 */
export async function sendTest(
  parts: WebhookParts,
  { id, endpointId }: QueuedTest,
  place: Place,
): Promise<void> {
  const isImmediate = takeSlot(parts.slots, endpointId);
  // Frees the lookup slot, so that others can use it while the test waits for a sending slot.
  if (!isImmediate) place.release();
  if (!isImmediate && !(await awaitSlot(parts.slots, endpointId))) return;
  await usingSlot(parts, endpointId, async () => {
    const claim = parts.newId();
    const { now, delivery } = await parts.work(async (tx) => ({
      now: tx.now,
      delivery: await claimOwn(tx, { id, claim, untilMs: CLAIM_MS }),
    }));
    const stopping = new AbortController().signal;
    const sending = { claim, now, stopping, ...(isImmediate && { place }) };
    if (delivery) await sendOne(parts, delivery, sending);
  });
}

function takeSlot(slots: SendingSlots, endpointId: string): boolean {
  if (slots.roomFor([endpointId]).size === 0) return false;
  slots.take(endpointId);
  return true;
}

async function awaitSlot(slots: SendingSlots, endpointId: string): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < TEST_WAIT_MS; waitedMs += TEST_LOOK_MS) {
    await sleep(TEST_LOOK_MS);
    if (takeSlot(slots, endpointId)) return true;
  }
  return false;
}

/** Runs `send` and then frees the slot. */
async function usingSlot(
  { slots, nowMs }: WebhookParts,
  endpointId: string,
  send: () => Promise<void>,
): Promise<void> {
  const beganMs = nowMs();
  try {
    await send();
  } finally {
    slots.free(endpointId, nowMs() - beganMs);
  }
}

export function createWebhookSender(parts: WebhookParts): WebhookSender {
  const stopping = new AbortController();
  const { slots } = parts;
  const inFlight = new Set<Promise<void>>();
  let lastEndpoint = FIRST_ENDPOINT;

  function start(delivery: DueDelivery, claimed: { claim: string; now: Date }): void {
    const { id, endpointId } = delivery;
    slots.take(endpointId);
    const sending = { ...claimed, stopping: stopping.signal };
    const sent = usingSlot(parts, endpointId, () => sendOne(parts, delivery, sending))
      // The delivery is attempted again once its claim has expired.
      .catch((error: unknown) =>
        parts.log.warn({ delivery: id, error }, 'failed to send a webhook'),
      )
      .finally(() => inFlight.delete(sent));
    inFlight.add(sent);
  }

  /** Returns how many requests were started. */
  async function startDue(endpointIds: readonly string[]): Promise<number> {
    const rooms = slots.roomFor(endpointIds);
    if (rooms.size === 0) return 0;
    const claim = parts.newId();
    const { now, due } = await parts.work(async (tx) => ({
      now: tx.now,
      due: await claimDue(tx, { claim, untilMs: CLAIM_MS, rooms }),
    }));
    for (const delivery of due) start(delivery, { claim, now });
    return due.length;
  }

  return {
    async sendDue() {
      if (stopping.signal.aborted) return false;
      const after = lastEndpoint;
      const waiting = await parts.work((tx) => listWaiting(tx, { after, limit: ENDPOINTS_MAX }));
      const last = waiting.length === ENDPOINTS_MAX ? waiting.at(-1)?.endpointId : undefined;
      lastEndpoint = last ?? FIRST_ENDPOINT;
      const due = waiting.flatMap(({ endpointId, isDue }) => (isDue ? [endpointId] : []));
      if (due.length === 0) return last !== undefined;
      const started = await startDue(due);
      if (started === 0 && inFlight.size > 0) {
        await Promise.race([...inFlight, sleep(SLOT_WAIT_MS, undefined, { ref: false })]);
      }
      return started > 0 || inFlight.size > 0;
    },
    async stop() {
      stopping.abort();
      await Promise.all(inFlight);
    },
  };
}

type Sending = {
  claim: string;
  now: Date;
  stopping: AbortSignal;
  /** The slot for the host lookup, if one has already been taken. */
  place?: Place;
};

async function sendOne(
  parts: WebhookParts,
  delivery: DueDelivery,
  { claim, now, stopping, place }: Sending,
): Promise<void> {
  const { work, webhookSealing, sendWebhook } = parts;
  const { id, url, endpointId, workspaceId } = delivery;
  const body = await bodyOf(parts, delivery);
  if (body === null) return work((tx) => removeClaimed(tx, { id, claim }));
  const secrets = signingSecretsOf(webhookSealing, { ...delivery, id: endpointId }, now);
  const timestamp = Math.floor(now.getTime() / SECOND_MS);
  const target = { url, workspaceId, place };
  const attempt = await sendWebhook(requestFor(target, { id, timestamp, body }, secrets), stopping);
  if (attempt.error === null) return recordSuccess(parts, { id, claim }, attempt);
  if (stopping.aborted) return work((tx) => updateReleased(tx, { id, claim }));
  return recordFailure(parts, delivery, { claim, attempt });
}

/** Null if the endpoint isn't allowed to receive the event, or no longer is. */
async function bodyOf({ readIn }: WebhookParts, delivery: DueDelivery): Promise<string | null> {
  const { auditId, env, endpointEnv, workspaceId } = delivery;
  // Since the event was queued, the endpoint may have become a test endpoint.
  if (endpointEnv === 'test' && env !== 'test') return null;
  if (auditId === null) return presentNotice(delivery);
  const read = readIn({
    workspaceId,
    envs: env === 'test' ? ['test'] : allEnvs,
    actor: { type: 'system', id: null },
    authority: 'admin',
  });
  const row = await findAuditRow(read, auditId);
  return row && presentEvent(row, delivery);
}

async function recordSuccess(
  { work, log }: WebhookParts,
  claimed: { id: string; claim: string },
  attempt: Attempt,
): Promise<void> {
  const isRecorded = await work((tx) => updateDelivered(tx, claimed, attempt));
  if (!isRecorded)
    log.warn(
      { delivery: claimed.id },
      'a webhook was sent but could not be marked as sent; it may be sent again',
    );
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
    return hasFailedTooLong(failingSince, tx.now);
  });
  if (isOver) await parts.writeIn(workspaceId)((tx) => disableFailing(tx, endpointId));
}
