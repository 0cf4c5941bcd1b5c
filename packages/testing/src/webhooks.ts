// Endpoints for events, and the worker's part of sending them, for tests.
import type { Work } from '@keyrail/server/doors/work.ts';
import {
  createWebhookSender,
  type WebhookParts,
  type WebhookSender,
} from '@keyrail/server/features/webhooks/send-webhooks.job.ts';
import type { Harness, Input } from './harness.ts';
import type { TestApp } from './test-app.ts';
import { until } from './until.ts';

export type Made = { id: string; secret: string };

/** An endpoint for these events, made with the live key. */
export async function endpointFor({ as }: Harness, url: string, more: Input = {}): Promise<Made> {
  const made = await as.liveKey('POST /v1/webhook_endpoints', { url, events: ['*'], ...more });
  return { id: made.id, secret: String(made.secret) };
}

export type QueuedDelivery = {
  id: string;
  type: string;
  env: string | null;
  state: string;
  attempts: number;
  claim: string | null;
  dueAt: Date;
  lastError: string | null;
  auditId: string | null;
};

/** The deliveries to an endpoint as the worker's role sees them, oldest first. */
export const deliveriesTo = ({ app }: TestApp, endpointId: string): Promise<QueuedDelivery[]> =>
  app.worker.work(async (tx: Work) => {
    const text = 'select * from webhook_deliveries where endpoint_id = $1 order by created_at, id';
    return (await tx.run({ text, values: [endpointId] })).rows as unknown as QueuedDelivery[];
  });

export const typesTo = async (app: TestApp, endpointId: string): Promise<string[]> =>
  (await deliveriesTo(app, endpointId)).map(({ type }) => type);

export const senderOf = ({ app }: TestApp, changes: Partial<WebhookParts> = {}): WebhookSender =>
  createWebhookSender({ ...app.worker.webhooks, ...changes });

const WAIT_MS = 30_000;

/** Sends until nothing of this endpoint is due. */
export async function sendAllTo(
  { testApp, clock }: Harness,
  endpointId: string,
  sender: WebhookSender = senderOf(testApp),
): Promise<void> {
  await until(async () => {
    await sender.sendDue();
    const rows = await deliveriesTo(testApp, endpointId);
    return rows.every(({ state, claim, dueAt }) => {
      return claim === null && (state !== 'pending' || dueAt > clock.now());
    });
  }, WAIT_MS);
}
