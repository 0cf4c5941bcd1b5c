// How long each table keeps its rows. Jobs delete older rows in batches of limited size. Every job
// is safe to run twice, because the second run finds nothing to delete.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@keyrail/protocol/wire/durations.ts';
import {
  INGEST_BATCH_KEPT_DAYS,
  USAGE_DAYS_MAX,
  WEBHOOK_DELIVERY_KEPT_DAYS,
} from '@keyrail/protocol/wire/limits.ts';
import { msAfter } from './base/duration.ts';
import type { OpenWork, Work } from './doors/work.ts';
import { removeVoidSignUps } from './features/accounts/rows.ts';
import { removeExpiredRecords } from './features/idempotency/rows.ts';
import { removeOldMail } from './features/mail/rows.ts';
import { removeExpiredResponses } from './features/request-keys/rows.ts';
import { removeOldSessions, removeOldTokens } from './features/sessions/rows.ts';
import {
  type KeyDayPlace,
  removeOldBatches,
  removeOldDenials,
  removeOldHours,
  removeOldKeyDays,
} from './features/usage/rows.ts';
import { removeOldDeliveries, removeOrphanedDeliveries } from './features/webhooks/queue.rows.ts';

const BATCH_MAX = 1000;

type Batch = { before: Date; limit: number };

/** How often jobs look for rows to delete. */
export const paces = { often: 10 * MINUTE_MS, hourly: HOUR_MS, daily: DAY_MS };

type Kept = {
  table: string;
  pace: keyof typeof paces;
  keptMs: number;
  /** Deletes a batch of rows. A result below `limit` means that this was the last batch. */
  remove(tx: Work, batch: Batch): Promise<number>;
};

const ENDED_KEPT_MS = 30 * DAY_MS;
/** Counted from the time an email is queued, so its contents are kept for less than 30 days. */
const MAIL_KEPT_MS = 29 * DAY_MS;
const DELIVERY_KEPT_MS = WEBHOOK_DELIVERY_KEPT_DAYS * DAY_MS;

/**
 * Returns the tables to clean up. Each tenant's monthly usage is kept permanently, because bills
 * are based on it.
 */
export function retention({ usageHoursKeptDays }: { usageHoursKeptDays: number }): Kept[] {
  const hoursKeptMs = usageHoursKeptDays * DAY_MS;
  // biome-ignore format: a table, with one line for each row
  return [
    // Rows in these two tables have an expiry time. Other statements already ignore expired rows,
    // so there is no need to keep them.
    { table: 'idempotency_records', pace: 'often', keptMs: 0, remove: removeExpiredRecords },
    { table: 'kept_responses', pace: 'often', keptMs: 0, remove: removeExpiredResponses },
    { table: 'mail_outbox', pace: 'hourly', keptMs: MAIL_KEPT_MS, remove: removeOldMail },
    { table: 'webhook_deliveries', pace: 'hourly', keptMs: DELIVERY_KEPT_MS, remove: removeOldDeliveries },
    { table: 'webhook_deliveries', pace: 'hourly', keptMs: DELIVERY_KEPT_MS, remove: removeOrphanedDeliveries },
    { table: 'sessions', pace: 'hourly', keptMs: ENDED_KEPT_MS, remove: removeOldSessions },
    { table: 'one_time_tokens', pace: 'hourly', keptMs: ENDED_KEPT_MS, remove: removeOldTokens },
    { table: 'void_sign_ups', pace: 'hourly', keptMs: HOUR_MS, remove: removeVoidSignUps },
    { table: 'usage_hours', pace: 'hourly', keptMs: hoursKeptMs, remove: removeOldHours },
    { table: 'usage_denials', pace: 'hourly', keptMs: hoursKeptMs, remove: removeOldDenials },
    { table: 'ingest_batches', pace: 'hourly', keptMs: INGEST_BATCH_KEPT_DAYS * DAY_MS, remove: removeOldBatches },
    { table: 'usage_key_days', pace: 'daily', keptMs: USAGE_DAYS_MAX * DAY_MS, remove: keyDaysInPages() },
  ];
}

/**
 * Goes through the table page by page. The row for each key's last day of use is kept, so if every
 * batch started from the beginning, batches would soon contain only rows to keep.
 */
function keyDaysInPages(): Kept['remove'] {
  let after: KeyDayPlace | null = null;
  return async (tx, batch) => {
    after = await removeOldKeyDays(tx, { ...batch, after });
    return after === null ? 0 : batch.limit;
  };
}

export async function purge(work: OpenWork, rows: readonly Kept[]): Promise<void> {
  for (const { keptMs, remove } of rows) {
    const removeBatch = () =>
      work((tx) => remove(tx, { before: msAfter(tx.now, -keptMs), limit: BATCH_MAX }));
    while ((await removeBatch()) === BATCH_MAX);
  }
}
