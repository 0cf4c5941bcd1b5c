// Removes expired hourly figures and batch receipts. Tenant months are kept, since bills are based
// on them. Safe to run twice.
import { INGEST_BATCH_KEPT_DAYS } from '@keyrail/protocol/wire/limits.ts';
import { DAY_MS, msAfter } from '../../base/duration.ts';
import type { OpenWork, Work } from '../../doors/work.ts';
import { removeOldBatches, removeOldDenials, removeOldHours } from './rows.ts';

const BATCH_MAX = 1000;

export async function purgeUsage(
  work: OpenWork,
  { hoursKeptDays }: { hoursKeptDays: number },
): Promise<void> {
  const kept: [number, (tx: Work, old: { before: Date; limit: number }) => Promise<number>][] = [
    [hoursKeptDays, removeOldHours],
    [hoursKeptDays, removeOldDenials],
    [INGEST_BATCH_KEPT_DAYS, removeOldBatches],
  ];
  for (const [days, remove] of kept) {
    const purge = () =>
      work((tx) => remove(tx, { before: msAfter(tx.now, -days * DAY_MS), limit: BATCH_MAX }));
    while ((await purge()) === BATCH_MAX);
  }
}
