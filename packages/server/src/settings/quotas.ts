// Settings that limit what workspaces store: bytes, events and rows.
import { INGEST_BUDGET_EVENTS_DEFAULT } from '@keyrail/protocol/wire/limits.ts';
import { sizeInBytes, wholeNumber } from './parsers.ts';
import type { Group } from './setting.ts';

export const quotas = {
  idempotencyBytesMax: {
    name: 'KEYRAIL_IDEMPOTENCY_BYTES_MAX',
    meaning:
      'Maximum size of stored responses per workspace and environment; bodies beyond that are not stored.',
    fallback: '256MiB',
    parse: (text) => sizeInBytes(text, 1),
  },
  ingestEventsPerMinute: {
    name: 'KEYRAIL_INGEST_EVENTS_PER_MINUTE',
    meaning: 'Maximum telemetry events per workspace per minute.',
    fallback: String(INGEST_BUDGET_EVENTS_DEFAULT),
    parse: (text) => wholeNumber(text, 1, 999_999_999),
  },
  usageHoursKeptDays: {
    name: 'KEYRAIL_USAGE_HOURS_DAYS',
    meaning: 'How many days hourly usage is kept for charts.',
    fallback: '35',
    parse: (text) => wholeNumber(text, 1, 400),
  },
  tenantMonthsMax: {
    name: 'KEYRAIL_TENANT_MONTHS_MAX',
    meaning:
      'Maximum monthly usage rows per workspace: one for each tenant, project and environment.',
    fallback: '1000000',
    parse: (text) => wholeNumber(text, 1, 999_999_999),
  },
} satisfies Group;
