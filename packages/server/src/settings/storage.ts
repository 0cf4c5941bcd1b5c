// Settings that limit what is counted and stored: bytes, rows, events and counters.
import { INGEST_BUDGET_EVENTS_DEFAULT } from '@keyrail/protocol/wire/limits.ts';
import { wholeNumber } from './parsers.ts';
import { Fault, type Setting } from './setting.ts';

const UNIT_BYTES: Record<string, number> = {
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
};

/** `512KiB`, `256MiB`, `20GiB` or `1TiB`. */
function bytesIn(text: string, minBytes: number): number {
  const [, count, unit = ''] = /^(\d{1,6})([KMGT]iB)$/.exec(text) ?? [];
  const bytes = Number(count) * (UNIT_BYTES[unit] ?? Number.NaN);
  if (bytes >= minBytes) return bytes;
  throw new Fault('must be a size such as 512KiB, 256MiB or 20GiB');
}

export const idempotencyBytesMax: Setting<number> = {
  name: 'KEYRAIL_IDEMPOTENCY_BYTES_MAX',
  meaning:
    'Maximum size of stored responses per workspace and environment; bodies beyond that are not stored.',
  fallback: '256MiB',
  parse: (text) => bytesIn(text, 1),
};

export const tenantMonthsMax: Setting<number> = {
  name: 'KEYRAIL_TENANT_MONTHS_MAX',
  meaning:
    'Maximum monthly usage rows per workspace: one for each tenant, project and environment.',
  fallback: '1000000',
  parse: (text) => wholeNumber(text, 1, 999_999_999),
};

export const databaseBytesMax: Setting<number> = {
  name: 'KEYRAIL_DATABASE_BYTES_MAX',
  meaning:
    'Maximum size of the PostgreSQL database, to keep its disk from filling up. Unset: no limit.',
  fallback: null,
  parse: (text) => bytesIn(text, 1),
};

export const ingestEventsPerMinute: Setting<number> = {
  name: 'KEYRAIL_INGEST_EVENTS_PER_MINUTE',
  meaning: 'Maximum telemetry events per workspace and minute.',
  fallback: String(INGEST_BUDGET_EVENTS_DEFAULT),
  parse: (text) => wholeNumber(text, 1, 999_999_999),
};

export const usageHoursKeptDays: Setting<number> = {
  name: 'KEYRAIL_USAGE_HOURS_DAYS',
  meaning: 'How many days hourly usage is kept for charts.',
  fallback: '35',
  parse: (text) => wholeNumber(text, 1, 400),
};

const COUNTERS_MAX_MIN = 1000;
const COUNTERS_MAX_MAX = 100_000_000;

export const countersMax: Setting<number> = {
  name: 'KEYRAIL_COUNTERS_MAX',
  meaning: 'Maximum active rate-limit counters per workspace and environment, without Redis.',
  fallback: '100000',
  parse: (text) => wholeNumber(text, COUNTERS_MAX_MIN, COUNTERS_MAX_MAX),
};

export const redisCountersMax: Setting<number> = {
  name: 'KEYRAIL_REDIS_COUNTERS_MAX',
  meaning:
    'Maximum active rate-limit counters per workspace and environment, in Redis. ' +
    'Default: 1000000, or what fits into an eighth of maxmemory.',
  fallback: null,
  parse: (text) => wholeNumber(text, COUNTERS_MAX_MIN, COUNTERS_MAX_MAX),
};
