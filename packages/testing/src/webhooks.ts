// Webhook endpoints and the worker's side of sending events, for tests.
import type { Work } from '@keyrail/server/doors/work.ts';
import {
  createWebhookSender,
  type WebhookParts,
  type WebhookSender,
} from '@keyrail/server/features/webhooks/send-webhooks.job.ts';
import { createSendingSlots } from '@keyrail/server/features/webhooks/sending-slots.ts';
import type { Harness, Input } from './harness.ts';
import type { TestApp } from './test-app.ts';
import { until } from './until.ts';

type Made = { id: string; secret: string };

/** Creates an endpoint with the live key; by default, it receives all events. */
export async function endpointFor({ as }: Harness, url: string, more: Input = {}): Promise<Made> {
  const made = await as.liveKey('POST /v1/webhook_endpoints', { url, events: ['*'], ...more });
  return { id: made.id, secret: String(made.secret) };
}

type QueuedDelivery = {
  id: string;
  type: string;
  env: string | null;
  state: string;
  attempts: number;
  claim: string | null;
  dueAt: Date;
  lastError: string | null;
  auditId: string | null;
  isDisabled: boolean;
};

/** Returns an endpoint's deliveries as the worker's role sees them, oldest first. */
export const deliveriesTo = ({ app }: TestApp, endpointId: string): Promise<QueuedDelivery[]> =>
  app.worker.work(async (tx: Work) => {
    const text = `select d.*, e.disabled_at is not null as is_disabled from webhook_deliveries d
      join webhook_endpoints e on e.id = d.endpoint_id
      where e.id = $1 order by d.created_at, d.id`;
    return (await tx.run({ text, values: [endpointId] })).rows as unknown as QueuedDelivery[];
  });

export const typesTo = async (app: TestApp, endpointId: string): Promise<string[]> =>
  (await deliveriesTo(app, endpointId)).map(({ type }) => type);

/** A sender with its own sending slots, as if it ran in a separate process. */
export const senderOf = ({ app }: TestApp, changes: Partial<WebhookParts> = {}): WebhookSender =>
  createWebhookSender({ ...app.worker.webhooks, slots: createSendingSlots(), ...changes });

/** Sends until no more deliveries to this endpoint are due or the endpoint is disabled. */
export async function sendAllTo(
  { testApp, clock }: Harness,
  endpointId: string,
  sender: WebhookSender = senderOf(testApp),
): Promise<void> {
  await until(async () => {
    await sender.sendDue();
    const rows = await deliveriesTo(testApp, endpointId);
    return rows.every(({ state, claim, dueAt, isDisabled }) => {
      return claim === null && (state !== 'pending' || isDisabled || dueAt > clock.now());
    });
  });
}
