import { assert } from '../../base/assert.ts';
import type { Read } from '../../doors/door.ts';
import { exceedsTenantMonths } from '../../doors/store-faults.ts';
import type { Batch } from './batch-check.ts';
import type { TelemetryEvent } from './event-check.ts';
import { findReceipt, insertUsage, type NamedReceipt, type Receipt } from './rows.ts';
import { talliesOf } from './tallies.ts';

export type Recordable = {
  tx: Read;
  batch: Batch;
  hoursFromMs: number;
  tenantMonthsMax: number;
};

/**
 * Adds several validated batches from one workspace to its usage totals. A single statement records
 * them all, as long as none is a duplicate and the limit on tenant months allows them. Otherwise,
 * each is recorded separately, so that it gets its own receipt or error.
 */
export async function recordBatches(
  items: readonly Recordable[],
): Promise<(Receipt | Promise<Receipt>)[]> {
  const isDone = await recordTogether(items).catch((error: unknown) => {
    if (items.length === 1 || !exceedsTenantMonths(error)) throw error;
    return false;
  });
  if (isDone) return items.map(({ batch }) => receiptOf(batch));
  const results: Promise<Receipt>[] = [];
  for (const item of items) {
    const result = recordAlone(item);
    results.push(result);
    await result.catch(() => {}); // the sender of this batch gets the error
  }
  return results;
}

async function recordTogether(items: readonly Recordable[]): Promise<boolean> {
  // The last batch to arrive has the latest deadline, so its transaction is used.
  const last = items.at(-1);
  assert(last, 'there is no batch to record');
  const { tx, hoursFromMs, tenantMonthsMax } = last;
  const events: TelemetryEvent[] = items.flatMap(({ batch }) => batch.events);
  const named = items.flatMap(({ batch }): NamedReceipt[] =>
    batch.batchId === null ? [] : [{ batchId: batch.batchId, ...receiptOf(batch) }],
  );
  const tallies = talliesOf(events, hoursFromMs);
  return insertUsage(tx, { named, tallies, tenantMonthsMax });
}

async function recordAlone(item: Recordable): Promise<Receipt> {
  const { tx, batch } = item;
  if (await recordTogether([item])) return receiptOf(batch);
  assert(batch.batchId !== null, 'a batch without an ID was treated as a duplicate');
  const known = await findReceipt(tx, batch.batchId);
  assert(known, 'a duplicate batch has no receipt');
  return known;
}

const receiptOf = ({ events, eventsDropped }: Batch): Receipt => ({
  accepted: events.length,
  eventsDropped,
});
