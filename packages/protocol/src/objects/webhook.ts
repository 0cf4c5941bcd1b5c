// The vendor's webhook endpoints and their deliveries.
import { z } from 'zod';
import { Env, Meta, Uuid } from '../validators.ts';
import { auditActions, noticeTypes, TEST_EVENT } from '../wire/event-types.ts';
import { AuditLog } from './audit.ts';
import { Count, SecretText, ShownOnce, WireTime } from './wire.ts';

export const WebhookEndpoint = z
  .strictObject({
    object: z.literal('webhook_endpoint'),
    id: Uuid,
    url: z.string(),
    events: z.array(z.string()),
    env: Env.nullable().meta({
      description: 'Only events in this environment, and events without one. `null`: all events.',
    }),
    description: z.string().nullable(),
    disabled_at: WireTime.nullable(),
    disabled_reason: z.string().nullable(),
    created_at: WireTime,
    updated_at: WireTime,
  })
  .meta({ id: 'WebhookEndpoint' });
export type WebhookEndpoint = z.output<typeof WebhookEndpoint>;

/** Includes the signing secret, which is never shown again. */
export const CreatedWebhookEndpoint = WebhookEndpoint.extend({
  secret: SecretText,
  secret_shown_once: ShownOnce,
}).meta({ id: 'CreatedWebhookEndpoint' });
export type CreatedWebhookEndpoint = z.output<typeof CreatedWebhookEndpoint>;

export const DeletedWebhookEndpoint = z
  .strictObject({
    object: z.literal('webhook_endpoint'),
    id: Uuid,
    deleted: z.literal(true),
  })
  .meta({ id: 'DeletedWebhookEndpoint' });
export type DeletedWebhookEndpoint = z.output<typeof DeletedWebhookEndpoint>;

export const DeliveryState = z.enum(['pending', 'delivered', 'failed']);
export type DeliveryState = z.output<typeof DeliveryState>;

export const WebhookDelivery = z
  .strictObject({
    object: z.literal('webhook_delivery'),
    id: Uuid.meta({ description: 'The `webhook-id` of the message; the same in every attempt.' }),
    endpoint_id: Uuid,
    type: z.string(),
    state: DeliveryState,
    attempts: Count,
    next_attempt_at: WireTime.nullable(),
    last_status: z.int().nullable(),
    last_error: z.string().nullable(),
    duration_ms: Count.nullable(),
    created_at: WireTime,
    delivered_at: WireTime.nullable(),
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.output<typeof WebhookDelivery>;

/**
 * The event for a change. `data` is the audit log entry as the API would return it to a secret key
 * for the endpoint's environment.
 */
export const ChangeEvent = z
  .strictObject({ type: z.enum(auditActions), timestamp: WireTime, data: AuditLog })
  .meta({ id: 'ChangeEvent' });

/** A notice triggered by a date rather than a change, so there is no audit log entry for it. */
export const NoticeEvent = z
  .strictObject({
    type: z.enum(noticeTypes),
    timestamp: WireTime,
    data: z.strictObject({
      object: z.literal('notice'),
      target_type: z.enum(['api_key', 'secret_key']),
      target_id: Uuid,
      payload: Meta,
    }),
  })
  .meta({ id: 'NoticeEvent' });

export const TestEvent = z
  .strictObject({
    type: z.literal(TEST_EVENT),
    timestamp: WireTime,
    data: z.strictObject({ object: z.literal('webhook_test'), endpoint_id: Uuid }),
  })
  .meta({ id: 'TestEvent' });
