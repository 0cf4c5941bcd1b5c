// Telemetry from nodes.
import { endpoints } from '../endpoint.ts';
import { IngestBatch, IngestReceipt } from '../objects/ingest.ts';
import { LARGE_BODY_BYTES_MAX } from '../wire/limits.ts';

export const ingestEndpoints = endpoints({
  'POST /v1/ingest/batch': {
    auth: 'machine',
    summary: 'Send a batch of request events',
    description:
      'The budget of the workspace is charged before the batch is validated, so a refused batch ' +
      'counts too. Unknown fields are ignored.',
    body: 'raw',
    rawBody: IngestBatch,
    bodyBytesMax: LARGE_BODY_BYTES_MAX,
    anyContentType: true,
    budgeted: true,
    answers: { 202: IngestReceipt },
  },
});
