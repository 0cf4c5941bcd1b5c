// Builds the HTTP request for a message.
import {
  type SignedMessage,
  WEBHOOK_ID,
  WEBHOOK_SIGNATURE,
  WEBHOOK_TIMESTAMP,
  webhookSignature,
} from '@keyrail/protocol/wire/webhook-signature.ts';
import { VERSION } from '../../base/version.ts';
import type { WebhookRequest } from './webhook-request.ts';

type Target = Pick<WebhookRequest, 'url' | 'workspaceId' | 'place'>;

/**
 * The request is signed with each secret. It contains the time of this attempt, because receivers
 * reject old messages.
 */
export function requestFor(
  target: Target,
  message: SignedMessage & { body: string },
  secrets: readonly Buffer[],
): WebhookRequest {
  return {
    ...target,
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
