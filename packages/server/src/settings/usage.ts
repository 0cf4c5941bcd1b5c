// Settings of telemetry and usage figures.
import { INGEST_BUDGET_EVENTS_DEFAULT } from '@keyrail/protocol/wire/limits.ts';
import { wholeNumber } from './parsers.ts';
import type { Setting } from './setting.ts';

export const ingestEventsPerMinute: Setting<number> = {
  name: 'KEYRAIL_INGEST_EVENTS_PER_MINUTE',
  meaning: 'Maximum telemetry events that one workspace may send in a minute.',
  fallback: String(INGEST_BUDGET_EVENTS_DEFAULT),
  parse: (text) => wholeNumber(text, 1, 999_999_999),
};

export const usageHoursKeptDays: Setting<number> = {
  name: 'KEYRAIL_USAGE_HOURS_DAYS',
  meaning: 'Days for which hourly usage figures are kept, for charts.',
  fallback: '35',
  parse: (text) => wholeNumber(text, 1, 400),
};
