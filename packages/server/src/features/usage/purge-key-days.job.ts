// Removes key days that are too old for any response, except the day of each key's last use. The
// job pages by position, because the rows it keeps would fill every batch. Safe to run twice.
import { USAGE_DAYS_MAX } from '@keyrail/protocol/wire/limits.ts';
import { DAY_MS, msAfter } from '../../base/duration.ts';
import type { OpenWork } from '../../doors/work.ts';
import { type KeyDayPlace, removeOldKeyDays } from './rows.ts';

const PAGE_MAX = 1000;

export async function purgeKeyDays(work: OpenWork): Promise<void> {
  let after: KeyDayPlace | null = null;
  do {
    const place: KeyDayPlace | null = after;
    after = await work((tx) => {
      const before = msAfter(tx.now, -USAGE_DAYS_MAX * DAY_MS);
      return removeOldKeyDays(tx, { before, limit: PAGE_MAX, after: place });
    });
  } while (after);
}
