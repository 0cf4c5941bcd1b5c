// Settings that limit stored bytes and rows, per workspace and for the whole database.
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
    'Maximum size of stored responses per workspace and environment; further bodies are not stored.',
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
