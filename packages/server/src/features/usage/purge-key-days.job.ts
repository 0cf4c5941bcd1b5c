// Removes days of keys that no answer reaches any more, but for the last one of each key. Walks
// from page to page, because what it leaves behind is met again every time. Safe to run twice.
import { USAGE_DAYS_MAX } from '@keyrail/protocol/limits.ts';
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
