import { assert } from '../../base/assert.ts';
import type { Read } from '../../doors/door.ts';
import { exceedsTenantMonths } from '../../doors/store-faults.ts';
import type { Batch } from './batch-check.ts';
import type { TelemetryEvent } from './event-check.ts';
import { findReceipt, insertUsage, type Named, type Receipt } from './rows.ts';
import { talliesOf } from './tallies.ts';

export type Recordable = {
  tx: Read;
  batch: Batch;
  hoursFromMs: number;
  tenantMonthsMax: number;
};

type Fate = PromiseSettledResult<Receipt>;

/**
 * Adds judged batches of one workspace to its sums, all of them in one step where none was here
 * before and all are within their bounds. Else each by itself, so that what becomes of one is not
 * told of another.
 */
export async function recordBatches(
  items: readonly [Recordable, ...Recordable[]],
): Promise<Fate[]> {
  const isDone = await recordTogether(items).catch((error: unknown) => {
    if (items.length === 1 || !exceedsTenantMonths(error)) throw error;
    return false;
  });
  if (isDone) return items.map(({ batch }) => ({ status: 'fulfilled', value: receiptOf(batch) }));
  const fates: Fate[] = [];
  for (const item of items) fates.push(...(await Promise.allSettled([recordAlone(item)])));
  return fates;
}

function recordTogether(items: readonly [Recordable, ...Recordable[]]): Promise<boolean> {
  // Whoever came last may wait longest: the others have waited for their turn already.
  const { tx, hoursFromMs, tenantMonthsMax } = items.at(-1) ?? items[0];
  const events: TelemetryEvent[] = items.flatMap(({ batch }) => batch.events);
  const named = items.flatMap(({ batch }): Named[] =>
    batch.batchId === null ? [] : [{ batchId: batch.batchId, ...receiptOf(batch) }],
  );
  const tallies = talliesOf(events, hoursFromMs);
  return insertUsage(tx, { named, tallies, tenantMonthsMax });
}

async function recordAlone(item: Recordable): Promise<Receipt> {
  const { tx, batch } = item;
  if (await recordTogether([item])) return receiptOf(batch);
  assert(batch.batchId !== null, 'a batch without an id was here before');
  const known = await findReceipt(tx, batch.batchId);
  assert(known, 'a batch was here before and left no receipt');
  return known;
}

const receiptOf = ({ events, eventsDropped }: Batch): Receipt => ({
  accepted: events.length,
  eventsDropped,
});
