// Telemetry: the batch that the SDK sends, and the server's confirmation.
import { z } from 'zod';
import { text } from '../text.ts';
import { Env, NodeId, Timestamp, Uuid } from '../validators.ts';
import {
  INGEST_DURATION_MS_MAX,
  INGEST_EVENTS_MAX,
  INGEST_PATH_CHARS_MAX,
  INGEST_PROTOCOL_VERSION,
  INGEST_SHORT_CHARS_MAX,
  INGEST_STATUS_MAX,
  INGEST_STATUS_MIN,
} from '../wire/limits.ts';
import { Count } from './wire.ts';

const Short = text(0, INGEST_SHORT_CHARS_MAX);
const Path = text(0, INGEST_PATH_CHARS_MAX);
const SampleRate = z.number().gt(0).max(1);

// Unlike in other bodies, unknown fields are ignored, so that the server accepts telemetry from a
// newer SDK.
export const IngestEvent = z
  .object({
    ts: Timestamp,
    project_id: Uuid,
    env: Env,
    tenant_id: Uuid.nullable().default(null),
    key_id: Uuid.nullable().default(null),
    display_prefix: Short.nullable().default(null),
    method: Short,
    path: Path,
    // Null when no route matched.
    route: Path.nullable().default(null),
    status: z.int().min(INGEST_STATUS_MIN).max(INGEST_STATUS_MAX),
    duration_ms: z.number().min(0).max(INGEST_DURATION_MS_MAX),
    degraded: z.boolean().default(false),
    denial_reason: Short.nullable().default(null),
    request_id: Short.nullable().default(null),
    sample_rate: SampleRate.optional(),
  })
  .meta({ id: 'IngestEvent' });
export type IngestEvent = z.output<typeof IngestEvent>;

/**
 * The endpoint gets its body unparsed, because the batch is charged to the telemetry budget before
 * it is validated.
 */
export const IngestBatch = z
  .object({
    object: z.literal('ingest_batch'),
    protocol_version: z.literal(INGEST_PROTOCOL_VERSION),
    node_id: NodeId,
    sdk: z.object({ name: Short, version: Short }),
    events: z.array(IngestEvent).max(INGEST_EVENTS_MAX),
    // If a batch is sent again with the same ID, it is counted only once.
    batch_id: Uuid.optional(),
    events_dropped: z.int().min(0).default(0),
    sample_rate: SampleRate.default(1),
  })
  .meta({ id: 'IngestBatch' });
export type IngestBatch = z.output<typeof IngestBatch>;

export const IngestReceipt = z
  .strictObject({
    object: z.literal('ingest_receipt'),
    accepted: Count,
    events_dropped_reported: Count,
  })
  .meta({ id: 'IngestReceipt' });
export type IngestReceipt = z.output<typeof IngestReceipt>;
