// Checks an entire batch, which is either accepted as a whole or rejected with the errors in its
// first invalid events.

import { IngestBatch } from '@keyrail/protocol/objects/ingest.ts';
import { NodeId } from '@keyrail/protocol/validators.ts';
import {
  INGEST_EVENTS_MAX,
  INGEST_PROTOCOL_VERSION,
  INGEST_SHORT_CHARS_MAX,
} from '@keyrail/protocol/wire/limits.ts';
import { type Detail, invalid } from '../../base/errors.ts';
import { eventsIn } from './batch-body.ts';
import {
  acceptedEvent,
  batchContextOf,
  idIn,
  isNumber,
  isObject,
  isRate,
  isText,
  type TelemetryEvent,
} from './event-check.ts';

export type Batch = { batchId: string | null; eventsDropped: number; events: TelemetryEvent[] };

const BAD_EVENTS_SHOWN_MAX = 20;
export const DETAILS_MAX = 100;

export function checkedBatch(value: unknown): Batch {
  const batch = acceptedBatch(value);
  if (batch) return batch;
  throw invalid('body', faultsOf(value));
}

export function acceptedBatch(value: unknown): Batch | null {
  const head = acceptedHead(value);
  const given = eventsIn(value);
  if (!head || !given || given.length > INGEST_EVENTS_MAX) return null;
  const context = batchContextOf(head.rate);
  const events: TelemetryEvent[] = [];
  for (const each of given) {
    const event = acceptedEvent(each, context);
    if (!event) return null;
    events.push(event);
  }
  return { batchId: head.batchId, eventsDropped: head.eventsDropped, events };
}

type Head = { batchId: string | null; eventsDropped: number; rate: number };

function acceptedHead(value: unknown): Head | null {
  if (!isObject(value) || value.object !== 'ingest_batch') return null;
  const { protocol_version: version, node_id: nodeId, sdk, batch_id: id } = value;
  const { events_dropped: eventsDropped = 0, sample_rate: rate = 1 } = value;
  if (version !== INGEST_PROTOCOL_VERSION || !NodeId.safeParse(nodeId).success) return null;
  if (!isObject(sdk) || !isText(sdk.name, INGEST_SHORT_CHARS_MAX)) return null;
  if (!isText(sdk.version, INGEST_SHORT_CHARS_MAX) || !isRate(rate)) return null;
  if (!isNumber(eventsDropped, 0, Number.MAX_SAFE_INTEGER)) return null;
  if (!Number.isInteger(eventsDropped)) return null;
  const batchId = id === undefined ? null : idIn(id);
  return batchId === null && id !== undefined ? null : { batchId, eventsDropped, rate };
}

/**
 * Returns the schema's error messages, but only for the first invalid events, because 5,000 errors
 * would take too long to produce and to read.
 */
export function faultsOf(value: unknown): Detail[] {
  const given = eventsIn(value) ?? [];
  if (given.length > INGEST_EVENTS_MAX) {
    return [{ path: 'events', message: `must contain at most ${INGEST_EVENTS_MAX} events` }];
  }
  const context = batchContextOf(1);
  const bad: number[] = [];
  for (let at = 0; at < given.length && bad.length < BAD_EVENTS_SHOWN_MAX; at += 1) {
    if (!acceptedEvent(given[at], context)) bad.push(at);
  }
  const shown =
    eventsIn(value) && isObject(value) ? { ...value, events: bad.map((at) => given[at]) } : value;
  const parsed = IngestBatch.safeParse(shown);
  const issues = parsed.error?.issues.slice(0, DETAILS_MAX) ?? [];
  return issues.map(({ path: [first, at, ...rest], message }) => {
    const place =
      first === 'events' && typeof at === 'number'
        ? [first, bad[at], ...rest]
        : [first, at, ...rest];
    return {
      path: place
        .filter((part) => part !== undefined)
        .map(String)
        .join('.'),
      message,
    };
  });
}
