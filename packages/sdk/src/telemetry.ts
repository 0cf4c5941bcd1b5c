// What happened to requests, told to the control plane in batches. Bounded in every direction: a
// queue that is full drops and counts, a batch that does not get through is sent again under the
// same id, and no request ever waits for any of it.
import { randomUUID } from 'node:crypto';
import type { Env } from './context.ts';
import type { Telemetry as Settings } from './options.ts';
import type { Parts } from './parts.ts';
import type { Failure } from './transport.ts';

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

export type Telemetry = {
  /** Takes an event if it is one of the sample and there is room; returns at once. */
  record(event: () => TelemetryEvent): void;
  /** Sends what waits, for at most so long; afterwards nothing is taken any more. */
  close(timeoutMs: number): Promise<void>;
  state(): TelemetryState;
};

export type TelemetryState = { queued: number; sent: number; dropped: number };

const SEND_MS_MAX = 10_000;
const BACKOFF_MS_FIRST = 1_000;
const BACKOFF_MS_MAX = 60_000;
/** Asking at once would be refused again: a wrong key, or a server that does not take telemetry. */
const HARD_WAIT_MS = 60_000;
const JITTER = 0.5;
const SHORT_CHARS_MAX = 200;
const PATH_CHARS_MAX = 1_024;
const DURATION_MS_MAX = 604_800_000;

type Batch = { batch_id: string; events_dropped: number; events: object[] };

type TelemetryParts = Pick<Parts, 'settings' | 'transport' | 'clock' | 'chance' | 'log'> & {
  sdk: { name: string; version: string };
};

export const noTelemetry: Telemetry = {
  record: () => {},
  close: async () => {},
  state: () => ({ queued: 0, sent: 0, dropped: 0 }),
};

export const createTelemetry = (parts: TelemetryParts): Telemetry => {
  const { telemetry } = parts.settings;
  return telemetry === null ? noTelemetry : openTelemetry(parts, telemetry);
};

function openTelemetry(parts: TelemetryParts, settings: Settings): Telemetry {
  const { clock, chance } = parts;
  const { sampleRate, flushMs, queueMax, batchMax } = settings;
  const sender = openSender(parts, sampleRate);
  const queue: object[] = [];
  /** Dropped in all, and how many of them no batch has told yet. */
  let dropped = 0;
  let untold = 0;
  let sent = 0;
  let failures = 0;
  let batch: Batch | null = null;
  let sending: Promise<number> | null = null;
  let isResting = false;
  let isClosed = false;
  let cancel: (() => void) | null = null;

  const later = (ms: number) => {
    cancel?.();
    cancel = clock.after(ms, () => {
      cancel = null;
      void step();
    });
  };
  const drop = (count: number) => {
    dropped += count;
    untold += count;
  };
  const take = (): Batch | null => {
    if (queue.length === 0) return null;
    const made = {
      batch_id: randomUUID(),
      events: queue.splice(0, batchMax),
      events_dropped: untold,
    };
    untold = 0;
    return made;
  };

  /** Sends one batch; resolves with the time to wait before the next one. */
  function step(timeoutMs = SEND_MS_MAX): Promise<number> {
    sending ??= sendBatch(timeoutMs).finally(() => {
      sending = null;
    });
    return sending;
  }

  async function sendBatch(timeoutMs: number): Promise<number> {
    batch ??= take();
    if (batch === null) return 0;
    const waitMs = settle(batch, await sender.send(batch, timeoutMs));
    isResting = waitMs > 0;
    if (isClosed) return waitMs;
    if (isResting) later(waitMs * (1 + chance() * JITTER));
    else if (queue.length > 0) later(queue.length >= batchMax ? 0 : flushMs);
    return waitMs;
  }

  /** What came of a batch, as the time to wait before the next one. */
  function settle(told: Batch, failure: Failure | null): number {
    if (failure !== null && !failure.hard) {
      failures += 1;
      const backoff = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_FIRST * 2 ** Math.min(failures - 1, 10));
      return (failure.kind === 'refused' && failure.retryAfterMs) || backoff;
    }
    batch = null;
    failures = 0;
    if (failure === null) {
      sent += told.events.length;
      return 0;
    }
    drop(told.events.length);
    untold += told.events_dropped;
    return HARD_WAIT_MS;
  }

  return {
    record: (event) => {
      if (isClosed || (sampleRate < 1 && chance() >= sampleRate)) return;
      if (queue.length >= queueMax) return drop(1);
      queue.push(sender.wireEvent(event()));
      // A back-off is not cut short by a full queue.
      if (sending !== null || isResting) return;
      if (cancel === null || queue.length === batchMax)
        later(queue.length < batchMax ? flushMs : 0);
    },
    close: async (timeoutMs) => {
      isClosed = true;
      cancel?.();
      const until = clock.monotonicMs() + timeoutMs;
      while (sending !== null || batch !== null || queue.length > 0) {
        const waitMs = await step(Math.min(SEND_MS_MAX, Math.max(1, until - clock.monotonicMs())));
        if (clock.monotonicMs() + waitMs >= until) break;
        if (waitMs > 0) await new Promise<void>((resolve) => void clock.after(waitMs, resolve));
      }
      drop(queue.length + (batch?.events.length ?? 0));
      queue.length = 0;
      batch = null;
    },
    state: () => ({ queued: queue.length + (batch?.events.length ?? 0), sent, dropped }),
  };
}

function openSender({ settings, transport, log, sdk }: TelemetryParts, sampleRate: number) {
  let isFailing = false;
  return {
    /** Null when it was taken. */
    send: async ({ batch_id, events, events_dropped }: Batch, timeoutMs: number) => {
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
    wireEvent: (event: TelemetryEvent): object => ({
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
