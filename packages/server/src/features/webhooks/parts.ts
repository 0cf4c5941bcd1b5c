// Creates everything needed to send events, shared by the API endpoints and the worker.
import { monotonicMs } from '../../base/clock.ts';
import { deadlineAfter } from '../../base/deadline.ts';
import type { Log } from '../../base/log.ts';
import { randomShare } from '../../base/random.ts';
import { createBoundSealing } from '../../base/sealing.ts';
import type { Tracing } from '../../base/tracing.ts';
import { allEnvs } from '../../doors/reach.ts';
import { openRead } from '../../doors/read.ts';
import type { OpenWork } from '../../doors/work.ts';
import { type DoorParts, type OpenWrite, openWrite } from '../../doors/write.ts';
import { createHostNames } from './host-names.ts';
import type { WebhookRouteParts } from './routes.ts';
import { sendTest, type WebhookParts } from './send-webhooks.job.ts';
import { createSendingSlots } from './sending-slots.ts';
import { createRequestSender, type SendRequest } from './webhook-request.ts';

const WORK_WAIT_MS = 10_000;

export type EventSettings = {
  /** Allows webhooks to be sent to private addresses and over plain HTTP. */
  webhookPrivate: boolean;
  /** Emails owners once a day about live keys that will expire soon. */
  expiryMail: boolean;
  /** Name servers for webhook hosts. Set only by tests. */
  nameServers?: readonly string[];
  log: Log;
  /** If null, deliveries aren't traced. */
  tracing?: Tracing | null;
};

type EventParts = { doors: DoorParts; work: OpenWork; sealingKey: Buffer };

type Events = {
  routes: WebhookRouteParts;
  worker: { webhooks: WebhookParts; expiryMail: boolean };
};

export function createEvents(settings: EventSettings, parts: EventParts): Events {
  const { webhookPrivate: allowPrivate, expiryMail, log, tracing } = settings;
  const { doors, work, sealingKey } = parts;
  const { db, newId, randomBytes } = doors;
  const hostNames = createHostNames({ allowPrivate, servers: settings.nameServers });
  const send = createRequestSender({ allowPrivate, hostNames, nowMs: monotonicMs });
  const webhookSealing = createBoundSealing(sealingKey, randomBytes);
  const webhooks: WebhookParts = {
    work,
    readIn: (reach) => openRead(db, reach, deadlineAfter(WORK_WAIT_MS)),
    writeIn: (workspaceId) => systemWrite(doors, workspaceId),
    sendWebhook: tracing ? tracedSender(send, tracing) : send,
    slots: createSendingSlots(),
    nowMs: monotonicMs,
    webhookSealing,
    random: () => randomShare(randomBytes),
    newId,
    log,
  };
  return {
    routes: {
      webhookSealing,
      webhookTargets: { hostNames, allowPrivate },
      sendWebhookTest: (test, place) => sendTest(webhooks, test, place),
    },
    worker: { webhooks, expiryMail },
  };
}

/** Opens a transaction for a change made by the server itself, outside any request. */
const systemWrite = (doors: DoorParts, workspaceId: string): OpenWrite =>
  openWrite(
    doors,
    { workspaceId, envs: allEnvs, actor: { type: 'system', id: null }, authority: 'owner' },
    { deadline: deadlineAfter(WORK_WAIT_MS) },
  );

/**
 * Traces each request. Receivers belong to vendors, so their addresses aren't recorded and no trace
 * headers are sent to them.
 */
const tracedSender =
  (send: SendRequest, tracing: Tracing): SendRequest =>
  (request, stopping) =>
    tracing.around({ name: 'send webhook', kind: 'client' }, async (span) => {
      const attempt = await send(request, stopping);
      span?.add({
        'keyrail.delivery_id': request.headers['webhook-id'] ?? '',
        ...(attempt.status !== null && { 'http.response.status_code': attempt.status }),
        ...(attempt.error !== null && { 'error.type': String(attempt.status ?? 'no_response') }),
      });
      return attempt;
    });
