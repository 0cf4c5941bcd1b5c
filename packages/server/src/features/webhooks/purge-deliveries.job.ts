// Deletes deliveries that are older than their list shows, and those of deleted endpoints. Safe to
// run twice.
import { WEBHOOK_DELIVERY_KEPT_DAYS } from '@keyrail/protocol/wire/limits.ts';
import { DAY_MS, msAfter } from '../../base/duration.ts';
import type { OpenWork, Work } from '../../doors/work.ts';
import { removeOldDeliveries, removeOrphanedDeliveries } from './queue.rows.ts';

const BATCH_MAX = 1000;

type Remove = (tx: Work, wanted: { since: Date; limit: number }) => Promise<number>;

export async function purgeDeliveries(work: OpenWork): Promise<void> {
  for (const remove of [removeOldDeliveries, removeOrphanedDeliveries] satisfies Remove[]) {
    let removed: number;
    do {
      removed = await work((tx) => {
        const since = msAfter(tx.now, -WEBHOOK_DELIVERY_KEPT_DAYS * DAY_MS);
        return remove(tx, { since, limit: BATCH_MAX });
      });
    } while (removed === BATCH_MAX);
  }
}
