// The type of a webhook endpoint, and the paths to reload after one changes.
import type { Item } from '@keyrail/client';

export type WebhookEndpoint = Item<'GET /v1/webhook_endpoints'>;

export const STALE = ['/v1/webhook_endpoints', '/v1/audit_logs'];

export const hostOf = ({ url }: { url: string }): string => new URL(url).host;
