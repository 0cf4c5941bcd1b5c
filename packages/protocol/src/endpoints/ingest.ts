// Telemetry from nodes.
import { endpoints } from '../endpoint.ts';
import { IngestBatch, IngestReceipt } from '../objects/ingest.ts';
import { LARGE_BODY_BYTES_MAX } from '../wire/limits.ts';

export const ingestEndpoints = endpoints({
  'POST /v1/ingest/batch': {
    auth: 'machine',
    permission: 'telemetry:write',
    summary: 'Send a batch of request events',
    description:
      'Nodes call this every few seconds to report the requests they have handled. The ' +
      "workspace's budget is charged before the batch is validated, so rejected batches count " +
      'too. Unknown fields are ignored.',
    body: 'raw',
    rawBody: IngestBatch,
    bodyBytesMax: LARGE_BODY_BYTES_MAX,
    anyContentType: true,
    refusals: {
      409: 'The workspace has reached its maximum number of monthly usage rows.',
      429: 'The workspace has used up its events for this minute.',
    },
    answers: { 202: IngestReceipt },
  },
});
