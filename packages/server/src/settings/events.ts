// Settings of outbound events.
import { onOrOff } from './parsers.ts';
import type { Setting } from './setting.ts';

export const webhookPrivate: Setting<boolean> = {
  name: 'KEYRAIL_WEBHOOK_PRIVATE',
  meaning: 'on: webhooks may use http: and private addresses. For tests and closed networks.',
  fallback: 'off',
  parse: onOrOff,
};
