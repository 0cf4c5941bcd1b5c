// Deletes deliveries that are older than their list shows.
import { WEBHOOK_DELIVERY_KEPT_DAYS } from '@keyrail/protocol/wire/limits.ts';
import { DAY_MS, msAfter } from '../../base/duration.ts';
import type { OpenWork } from '../../doors/work.ts';
import { removeOldDeliveries } from './queue.rows.ts';

const BATCH_MAX = 1000;

export async function purgeDeliveries(work: OpenWork): Promise<void> {
  let removed: number;
  do {
    removed = await work((tx) =>
      removeOldDeliveries(tx, {
        before: msAfter(tx.now, -WEBHOOK_DELIVERY_KEPT_DAYS * DAY_MS),
        limit: BATCH_MAX,
      }),
    );
  } while (removed === BATCH_MAX);
}
