// One batch of events, as it goes over the wire.
import type { Env } from './context.ts';
import type { Parts } from './parts.ts';
import type { Failure } from './transport.ts';

const SHORT_CHARS_MAX = 200;
const PATH_CHARS_MAX = 1_024;
const DURATION_MS_MAX = 604_800_000;

/** One request, in the words of the wire. */
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

export type Batch = { batch_id: string; events_dropped: number; events: object[] };

export type TelemetryParts = Pick<Parts, 'settings' | 'transport' | 'clock' | 'chance' | 'log'> & {
  sdk: { name: string; version: string };
};

export type Sender = {
  /** Null when it was taken. */
  send(batch: Batch, timeoutMs: number): Promise<Failure | null>;
  wireEvent(event: TelemetryEvent): object;
};

export function openSender(
  { settings, transport, log, sdk }: TelemetryParts,
  sampleRate: number,
): Sender {
  let isFailing = false;
  return {
    send: async ({ batch_id, events, events_dropped }, timeoutMs) => {
      const outcome = await transport.send({
        method: 'POST',
        path: '/v1/ingest/batch',
        timeoutMs,
        body: {
          object: 'ingest_batch',
          protocol_version: 1,
          node_id: settings.nodeId,
          sdk,
          batch_id,
          events_dropped,
          sample_rate: sampleRate,
          events,
        },
      });
      const failure = outcome.kind === 'answer' ? null : outcome;
      if (failure !== null && !isFailing) {
        const why = failure.kind === 'refused' ? failure.status : failure.reason;
        log('warn', `keyrail: telemetry does not get through (${why})`);
      }
      isFailing = failure !== null;
      return failure;
    },
    /** Cut to what the control plane takes, so that one odd request never costs a whole batch. */
    wireEvent: (event) => ({
      ...event,
      project_id: settings.projectId,
      display_prefix: cut(event.display_prefix, SHORT_CHARS_MAX),
      method: cut(event.method, SHORT_CHARS_MAX),
      path: cut(event.path, PATH_CHARS_MAX),
      route: cut(event.route, PATH_CHARS_MAX),
      request_id: cut(event.request_id, SHORT_CHARS_MAX),
      duration_ms: Math.min(DURATION_MS_MAX, Math.max(0, event.duration_ms)),
    }),
  };
}

function cut(text: string | null, charsMax: number): string | null {
  if (text === null) return null;
  const short = text.length > charsMax ? text.slice(0, charsMax) : text;
  return short.isWellFormed() && !short.includes('\0')
    ? short
    : short.replaceAll('\0', '').toWellFormed();
}
