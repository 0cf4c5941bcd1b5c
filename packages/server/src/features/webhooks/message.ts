// The message of a delivery. Its contents are the row of the audit log as a secret key with the
// environment of the endpoint would read it, under the same row level security.
import {
  type SignedMessage,
  WEBHOOK_ID,
  WEBHOOK_SIGNATURE,
  WEBHOOK_TIMESTAMP,
  webhookSignature,
} from '@keyrail/protocol/wire/webhook-signature.ts';
import { deadlineAfter } from '../../base/deadline.ts';
import { SECOND_MS } from '../../base/duration.ts';
import { VERSION } from '../../base/version.ts';
import { wireTime } from '../../base/wire-time.ts';
import type { Database } from '../../db/database.ts';
import { openRead } from '../../doors/read.ts';
import { allEnvs, type Reach } from '../../doors/reach.ts';
import { presentAuditRow } from '../audit/present.ts';
import { findAuditRow } from '../audit/rows.ts';
import type { DeliveryRow } from './rows.ts';
import type { WebhookRequest } from './send-request.ts';

const READ_MS_MAX = 10 * SECOND_MS;

export type MessageBody = Pick<
  DeliveryRow,
  'workspaceId' | 'env' | 'type' | 'auditId' | 'notice' | 'createdAt'
>;

/** Null if the row of the audit log is not visible to the endpoint. */
export async function bodyOf(db: Database, delivery: MessageBody): Promise<string | null> {
  const { type, auditId, notice, createdAt } = delivery;
  if (auditId === null) {
    return JSON.stringify({ type, timestamp: wireTime(createdAt), data: notice });
  }
  const read = openRead(db, reachOf(delivery), deadlineAfter(READ_MS_MAX));
  const row = await findAuditRow(read, auditId);
  if (!row) return null;
  const data = presentAuditRow(row, delivery.env === 'test');
  return JSON.stringify({ type, timestamp: data.occurred_at, data });
}

const reachOf = ({ workspaceId, env }: MessageBody): Reach => ({
  workspaceId,
  envs: env === 'test' ? ['test'] : allEnvs,
  actor: { type: 'system', id: null },
  authority: 'admin',
});

/** Signed with each secret. The time is that of this attempt: a receiver refuses old messages. */
export function requestFor(
  url: string,
  message: SignedMessage & { body: string },
  secrets: readonly Buffer[],
): WebhookRequest {
  return {
    url,
    body: message.body,
    headers: {
      'content-type': 'application/json',
      'user-agent': `Keyrail-Webhooks/${VERSION}`,
      [WEBHOOK_ID]: message.id,
      [WEBHOOK_TIMESTAMP]: String(message.timestamp),
      [WEBHOOK_SIGNATURE]: secrets.map((secret) => webhookSignature(secret, message)).join(' '),
    },
  };
}
