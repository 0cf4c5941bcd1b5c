// Telemetry from nodes. The operation parses the body itself, because events are charged before the
// batch is validated. Valid batches from one workspace are recorded together.

import { ingestEndpoints } from '@keyrail/protocol/endpoints/ingest.ts';
import { batched } from '../../base/coalesce.ts';
import { DAY_MS } from '../../base/duration.ts';
import { unavailable } from '../../base/errors.ts';
import { reachName } from '../../doors/reach.ts';
import { type ServedRoute, serve } from '../../http/route.ts';
import { presentReceipt } from './present.ts';
import { type Recordable, recordBatches } from './record-batches.ts';
import type { Receipt } from './rows.ts';
import { validateBatch } from './validate-batch.ts';

export type IngestParts = {
  ingestEventsPerMinute: number;
  usageHoursKeptDays: number;
  tenantMonthsMax: number;
};

const BATCHES_AT_ONCE_MAX = 8;
/**
 * The maximum number of batches waiting per workspace. Any beyond that are rejected immediately,
 * because they would time out while waiting.
 */
const BATCHES_WAITING_MAX = 500;

export const ingestRoutes = (parts: IngestParts): ServedRoute[] => {
  const { ingestEventsPerMinute: eventsPerMinute, usageHoursKeptDays, tenantMonthsMax } = parts;
  // Batches from one workspace update the same rows, so if they ran in parallel, each would hold a
  // connection while waiting for row locks. Instead, one statement runs at a time and records up to
  // 8 batches.
  const record = batched<Recordable, Receipt>({
    max: BATCHES_AT_ONCE_MAX,
    inFlightMax: 1,
    heldMsMax: Number.POSITIVE_INFINITY,
    waitingMax: BATCHES_WAITING_MAX,
    refuse: () => unavailable(),
  });
  return serve(ingestEndpoints, {
    'POST /v1/ingest/batch': {
      boundary: 'rows',
      door: 'record',
      whenQuarantined: 'allow',
      hot: true,
      storage: 'spare',
      run: async ({ record: { read: tx }, principal, body: bytes }) => {
        const asked = { principal, bytes };
        const { batch, now } = await validateBatch(tx, asked, { eventsPerMinute });
        const hoursFromMs = now.getTime() - usageHoursKeptDays * DAY_MS;
        const group = reachName(tx.reach);
        const recordable = { tx, batch, hoursFromMs, tenantMonthsMax };
        return presentReceipt(await record(group, recordable, recordBatches));
      },
    },
  });
};
