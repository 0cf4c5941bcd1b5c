// Turns rows into webhook_endpoint and webhook_delivery objects, and into the messages that are
// sent. Only this file reveals the signing secret.
import type {
  CreatedWebhookEndpoint,
  WebhookDelivery,
  WebhookEndpoint,
} from '@keyrail/protocol/objects/webhook.ts';
import type { Secret } from '../../base/secret.ts';
import { wireTime, wireTimeOrNull } from '../../base/wire-time.ts';
import { presentAuditRow } from '../audit/present.ts';
import type { AuditRowWithActor } from '../audit/rows.ts';
import type { DeliveryRow, EndpointRow } from './rows.ts';

export const presentEndpoint = (row: EndpointRow): WebhookEndpoint => ({
  object: 'webhook_endpoint',
  id: row.id,
  url: row.url,
  events: row.events,
  env: row.env,
  description: row.description,
  disabled_at: wireTimeOrNull(row.disabledAt),
  disabled_reason: row.disabledReason,
  created_at: wireTime(row.createdAt),
  updated_at: wireTime(row.updatedAt),
});

/** The secret is withheld from responses that are stored for replays. */
export const presentWithSecret = ({
  row,
  secret,
}: {
  row: EndpointRow;
  secret: Secret;
}): CreatedWebhookEndpoint => ({
  ...presentEndpoint(row),
  ...(secret.isWithheld ? {} : { secret: secret.reveal() }),
  secret_shown_once: !secret.isWithheld,
});

export const presentDeleted = ({ id }: { id: string }) =>
  ({ object: 'webhook_endpoint', id, deleted: true }) as const;

export const presentDelivery = (row: DeliveryRow): WebhookDelivery => ({
  object: 'webhook_delivery',
  id: row.id,
  endpoint_id: row.endpointId,
  type: row.type,
  state: row.state,
  attempts: row.attempts,
  next_attempt_at: row.state === 'pending' ? wireTime(row.dueAt) : null,
  last_status: row.lastStatus,
  last_error: row.lastError,
  duration_ms: row.durationMs,
  created_at: wireTime(row.createdAt),
  delivered_at: wireTimeOrNull(row.deliveredAt),
});

/** Builds the audit log entry as a secret key with the endpoint's environment would see it. */
export function presentEvent(row: AuditRowWithActor, { type, env }: DeliveryRow): string {
  const shown = presentAuditRow(row, env === 'test');
  return JSON.stringify({ type, timestamp: shown.occurred_at, data: shown });
}

/** Builds a message that isn't about an audit log entry. */
export const presentNotice = ({ type, createdAt, notice }: DeliveryRow): string =>
  JSON.stringify({ type, timestamp: wireTime(createdAt), data: notice });
