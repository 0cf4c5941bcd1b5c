// Settings for outbound events.
import { onOrOff } from './parsers.ts';
import type { Group } from './setting.ts';

export const events = {
  webhookPrivate: {
    name: 'KEYRAIL_WEBHOOK_PRIVATE',
    meaning: 'on: webhooks may use http: and private addresses. For tests and closed networks.',
    fallback: 'off',
    parse: onOrOff,
  },
  expiryMail: {
    name: 'KEYRAIL_EXPIRY_MAIL',
    meaning: "off: don't send owners a daily email about live keys that expire within 14 days.",
    fallback: 'on',
    parse: onOrOff,
  },
} satisfies Group;
