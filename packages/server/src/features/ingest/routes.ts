// Telemetry from nodes. Its bytes are read inside the operation, after the charge.
import { ingestEndpoints } from '@keyrail/protocol/endpoints/ingest.ts';
import { type ServedRoute, serve } from '../../http/route.ts';
import { presentReceipt } from './present.ts';
import { takeBatch } from './take-batch.ts';

export type IngestParts = { ingestEventsPerMinute: number; usageHoursKeptDays: number };

export const ingestRoutes = (parts: IngestParts): ServedRoute[] => {
  const limits = {
    eventsPerMinute: parts.ingestEventsPerMinute,
    hoursKeptDays: parts.usageHoursKeptDays,
  };
  return serve(ingestEndpoints, {
    'POST /v1/ingest/batch': {
      boundary: 'rows',
      door: 'record',
      run: async ({ record, principal, body: bytes }) => {
        const receipt = await takeBatch(record.read, { principal, bytes }, limits);
        return presentReceipt(receipt);
      },
    },
  });
};
