import type { IngestReceipt } from '@keyrail/protocol/objects/ingest.ts';
import type { Receipt } from './rows.ts';

export const presentReceipt = ({ accepted, eventsDropped }: Receipt): IngestReceipt => ({
  object: 'ingest_receipt',
  accepted,
  events_dropped_reported: eventsDropped,
});
