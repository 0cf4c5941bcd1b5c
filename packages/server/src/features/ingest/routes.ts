// Telemetry from nodes. Its bytes are read inside the operation, after the charge; what was judged
// is recorded together with whatever else of the workspace is due.
import { ingestEndpoints } from '@keyrail/protocol/endpoints/ingest.ts';
import { DAY_MS } from '../../base/duration.ts';
import { type ServedRoute, serve } from '../../http/route.ts';
import { presentReceipt } from './present.ts';
import { recordBatches } from './record-batches.ts';
import { tracksFor } from './tracks.ts';
import { validateBatch } from './validate-batch.ts';

export type IngestParts = {
  ingestEventsPerMinute: number;
  usageHoursKeptDays: number;
  tenantMonthsMax: number;
};

const BATCHES_AT_ONCE_MAX = 8;
/** Of one workspace. Whoever comes beyond is told at once, instead of after a wait in vain. */
const BATCHES_WAITING_MAX = 500;

export const ingestRoutes = (parts: IngestParts): ServedRoute[] => {
  const { ingestEventsPerMinute: eventsPerMinute, usageHoursKeptDays, tenantMonthsMax } = parts;
  const record = tracksFor(recordBatches, {
    mostAtOnce: BATCHES_AT_ONCE_MAX,
    waitingMax: BATCHES_WAITING_MAX,
  });
  return serve(ingestEndpoints, {
    'POST /v1/ingest/batch': {
      boundary: 'rows',
      door: 'record',
      whenQuarantined: 'allow',
      storage: 'spare',
      run: async ({ record: { read: tx }, principal, body: bytes }) => {
        const asked = { principal, bytes };
        const { batch, now } = await validateBatch(tx, asked, { eventsPerMinute });
        const hoursFromMs = now.getTime() - usageHoursKeptDays * DAY_MS;
        const track = `${tx.reach.workspaceId} ${tx.reach.envs}`;
        return presentReceipt(await record(track, { tx, batch, hoursFromMs, tenantMonthsMax }));
      },
    },
  });
};
