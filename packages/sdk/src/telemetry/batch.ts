// One batch of telemetry events, serialised for the control plane.
import {
  INGEST_DURATION_MS_MAX,
  INGEST_SHORT_CHARS_MAX,
  INGEST_STATUS_MAX,
  INGEST_STATUS_MIN,
  LARGE_BODY_BYTES_MAX,
} from '@keyrail/protocol/wire/limits.ts';
import type { Env } from '../api/context.ts';
import type { Log, TelemetryOptions } from '../api/options.ts';
import type { Chance, Clock } from '../clock.ts';
import type { Failure, Transport } from '../transport.ts';

const PATH_CHARS_MAX = 1_024;
const SHARE_MIN = 0.000_001;
const LINES_BYTES_FIRST = 64 * 1024;
/** A batch is considered full at half the size that the control plane accepts in one request. */
const LINES_BYTES_FULL = LARGE_BODY_BYTES_MAX / 2;
/** The status reported in place of an invalid one. */
const STATUS_ODD = 500;

/** The event for one request, with the field names of the API. */
export type TelemetryEvent = {
  ts: string;
  env: Env;
  tenant_id: string | null;
  key_id: string | null;
  display_prefix: string | null;
  method: string;
  path: string;
  route: string | null;
  status: number;
  duration_ms: number;
  degraded: boolean;
  denial_reason: string | null;
  request_id: string;
};

const OPENING = '{"events":[';

/**
 * Events in order of arrival, serialised as JSON into one reusable buffer, because queued objects,
 * or new memory for every batch, would burden the garbage collector.
 */
export class Lines {
  #bytes = Buffer.allocUnsafeSlow(LINES_BYTES_FIRST);
  #used = 0;
  #count = 0;

  constructor() {
    this.clear();
  }

  get count(): number {
    return this.#count;
  }

  /** Whether the batch has reached the maximum number of events or bytes for one request. */
  isFull(countMax: number): boolean {
    return this.#count >= countMax || this.#used >= LINES_BYTES_FULL;
  }

  clear(): void {
    this.#used = this.#bytes.write(OPENING);
    this.#count = 0;
  }

  add(line: string): void {
    this.#used += this.#write(this.#count === 0 ? line : `,${line}`);
    this.#count += 1;
  }

  /** Returns the request body: the events, followed by the fields of the batch. */
  documentWith(fields: object): Uint8Array<ArrayBuffer> {
    const closing = this.#write(`],${JSON.stringify(fields).slice(1)}`);
    return this.#bytes.subarray(0, this.#used + closing);
  }

  #write(text: string): number {
    // A UTF-16 code unit takes at most three bytes in UTF-8.
    const needed = this.#used + text.length * 3;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#used);
      this.#bytes = larger;
    }
    return this.#bytes.write(text, this.#used);
  }
}

/** `dropped`: how many events were lost before this batch and have not been reported. */
export type Batch = { batchId: string; dropped: number; lines: Lines };

export type TelemetrySettings = Required<{ [K in keyof TelemetryOptions]: number }>;

export type TelemetryParts = {
  settings: { telemetry: TelemetrySettings | null; nodeId: string; projectId: string };
  transport: Transport;
  clock: Clock;
  chance: Chance;
  log: Log;
  sdk: { name: string; version: string };
};

export type Sender = {
  /** Sends a batch; null if the control plane accepted it. */
  send(batch: Batch, timeoutMs: number): Promise<Failure | null>;
  /** `share`: the probability with which the event was chosen. */
  lineOf(event: TelemetryEvent, share: number): string;
};

export function openSender(
  { settings, transport, log, sdk }: TelemetryParts,
  sampleRate: number,
): Sender {
  const { nodeId, projectId } = settings;
  let isFailing = false;
  return {
    send: async ({ batchId, lines, dropped }, timeoutMs) => {
      const fields = {
        object: 'ingest_batch',
        protocol_version: 1,
        node_id: nodeId,
        sdk,
        batch_id: batchId,
        events_dropped: dropped,
        sample_rate: sampleRate,
      };
      const outcome = await transport.send({
        method: 'POST',
        path: '/v1/ingest/batch',
        timeoutMs,
        bytes: lines.documentWith(fields),
      });
      const failure = outcome.kind === 'answer' ? null : outcome;
      if (failure !== null && !isFailing) {
        const why = failure.kind === 'refused' ? failure.status : failure.reason;
        log('warn', `keyrail: failed to send telemetry (${why})`);
      }
      isFailing = failure !== null;
      return failure;
    },
    lineOf: (event, share) => {
      const line = lineOf(event, projectId);
      if (share === sampleRate) return line;
      return `${line.slice(0, -1)},"sample_rate":${Math.max(SHARE_MIN, share)}}`;
    },
  };
}

/**
 * Truncates every field to what the control plane accepts, so that it never rejects a whole batch
 * because of one unusual request.
 */
// Serialised by hand, because this runs for every request and takes a third of the time that
// `JSON.stringify` would (`npm run bench -- sdk`).
export function lineOf(event: TelemetryEvent, projectId: string): string {
  const { ts, env, degraded } = event;
  const status = isStatus(event.status) ? event.status : STATUS_ODD;
  const duration = Math.min(INGEST_DURATION_MS_MAX, Math.max(0, event.duration_ms));
  return `{"ts":"${ts}","project_id":"${projectId}","env":"${env}","tenant_id":${idOf(
    event.tenant_id,
  )},"key_id":${idOf(event.key_id)},"display_prefix":${textOf(
    event.display_prefix,
    INGEST_SHORT_CHARS_MAX,
  )},"method":${textOf(event.method, INGEST_SHORT_CHARS_MAX)},"path":${textOf(
    event.path,
    PATH_CHARS_MAX,
  )},"route":${textOf(event.route, PATH_CHARS_MAX)},"status":${status},"duration_ms":${
    Math.round(duration * 1000) / 1000
  },"degraded":${degraded},"denial_reason":${textOf(
    event.denial_reason,
    INGEST_SHORT_CHARS_MAX,
  )},"request_id":${textOf(event.request_id, INGEST_SHORT_CHARS_MAX)}}`;
}

/** A handler may set a status that HTTP does not allow. */
const isStatus = (status: number): boolean =>
  Number.isInteger(status) && status >= INGEST_STATUS_MIN && status <= INGEST_STATUS_MAX;

const idOf = (id: string | null): string => (id === null ? 'null' : `"${id}"`);

/** Printable ASCII without quote and backslash needs no escaping in JSON. */
const PLAIN = /^[ !#-[\]-~]*$/;

function textOf(text: string | null, charsMax: number): string {
  if (text === null) return 'null';
  if (text.length <= charsMax && PLAIN.test(text)) return `"${text}"`;
  return JSON.stringify(text.slice(0, charsMax).replaceAll('\0', '').toWellFormed());
}
