// Reports requests to the control plane in batches. Everything is bounded: a full queue drops and
// counts events, a failed batch is sent again under the same ID, and none of the vendor's requests
// ever waits for telemetry.
import { randomUUID } from 'node:crypto';
import type { TelemetryState } from '../api/keyrail.ts';
import type { Log } from '../api/options.ts';
import type { Chance, Clock } from '../clock.ts';
import type { Failure } from '../transport.ts';
import {
  type Batch,
  Lines,
  openSender,
  type Sender,
  type TelemetryEvent,
  type TelemetryParts,
  type TelemetrySettings,
} from './batch.ts';
import { Sampling } from './sampling.ts';

export type Telemetry = {
  /** Queues a request's event if it is sampled and the queue is not full; never blocks. */
  record(key: string | null, beganAt: number, event: () => TelemetryEvent): void;
  /** Sends the queue, for at most `timeoutMs`, and logs the number of lost events. */
  close(timeoutMs: number): Promise<void>;
  state(): TelemetryState;
};

const SEND_MS_MAX = 10_000;
const BACKOFF_MS_FIRST = 1_000;
const BACKOFF_MS_MAX = 60_000;
/**
 * After a hard failure (a wrong key, or a server without telemetry), a quick retry would be
 * useless.
 */
const HARD_WAIT_MS = 60_000;
const JITTER = 0.5;
const FRESH_MAX = 50;

const noTelemetry: Telemetry = {
  record: () => {},
  close: async () => {},
  state: () => ({ queued: 0, sent: 0, dropped: 0 }),
};

export const createTelemetry = (parts: TelemetryParts): Telemetry => {
  const { telemetry } = parts.settings;
  if (telemetry === null) return noTelemetry;
  const queue = new TelemetryQueue(parts, telemetry);
  return {
    record: (key, beganAt, event) => queue.record(key, beganAt, event),
    close: (timeoutMs) => queue.close(timeoutMs),
    state: () => queue.state(),
  };
};

/**
 * Events are queued until a batch is full or `flushMs` has passed; one batch is sent at a time. A
 * batch with a soft failure is kept, and the queue waits with it until the retry is due.
 */
class TelemetryQueue {
  readonly #sender: Sender;
  readonly #clock: Clock;
  readonly #chance: Chance;
  readonly #log: Log;
  readonly #settings: TelemetrySettings;
  readonly #sampling: Sampling;
  /** Batches to send; all but the last are full. */
  readonly #queue: Lines[] = [];
  /**
   * Events that have not been serialised yet, because serialising them in groups is cheaper than
   * one by one.
   */
  readonly #fresh: { event: TelemetryEvent; share: number }[] = [];
  #queued = 0;
  #spare: Lines | null = null;
  #sent = 0;
  /**
   * How many events have been dropped in total, and how many of those no batch has reported yet.
   */
  #dropped = 0;
  #unreported = 0;
  #failures = 0;
  #batch: Batch | null = null;
  #sending: Promise<number> | null = null;
  #cancel: (() => void) | null = null;
  #isResting = false;
  #isClosed = false;
  #isOver = false;

  constructor(parts: TelemetryParts, settings: TelemetrySettings) {
    this.#sender = openSender(parts, settings.sampleRate);
    this.#clock = parts.clock;
    this.#chance = parts.chance;
    this.#log = parts.log;
    this.#settings = settings;
    this.#sampling = new Sampling({ ...parts, sampleRate: settings.sampleRate });
  }

  record(key: string | null, beganAt: number, event: () => TelemetryEvent): void {
    const { queueMax, batchMax } = this.#settings;
    const share = this.#sampling.choose(key, beganAt);
    if (share === null) return;
    if (this.#isClosed || this.#queued >= queueMax) {
      this.#drop(1);
      return;
    }
    this.#fresh.push({ event: event(), share });
    this.#queued += 1;
    if (this.#fresh.length === FRESH_MAX) this.#writeDown();
    // A full queue does not shorten a back-off.
    if (this.#sending !== null || this.#isResting) return;
    if (this.#cancel === null || this.#queued === batchMax) this.#schedule();
  }

  /**
   * If a custom adapter produces an event that cannot be serialised, only that event is dropped.
   */
  #writeDown(): void {
    const { batchMax } = this.#settings;
    for (const { event, share } of this.#fresh.splice(0)) {
      try {
        this.#open(batchMax).add(this.#sender.lineOf(event, share));
      } catch {
        this.#queued -= 1;
        this.#drop(1);
      }
    }
  }

  /** Returns the batch that the next event is added to. */
  #open(batchMax: number): Lines {
    const last = this.#queue.at(-1);
    if (last !== undefined && !last.isFull(batchMax)) return last;
    const lines = this.#spare ?? new Lines();
    this.#spare = null;
    lines.clear();
    this.#queue.push(lines);
    return lines;
  }

  async close(timeoutMs: number): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    const until = this.#clock.monotonicMs() + timeoutMs;
    while (this.#sending !== null || this.#batch !== null || this.#queued > 0) {
      const leftMs = Math.max(1, until - this.#clock.monotonicMs());
      const waitMs = await this.#stepWithin(leftMs);
      if (this.#clock.monotonicMs() + waitMs >= until) break;
      if (waitMs > 0) await new Promise<void>((done) => void this.#clock.after(waitMs, done));
    }
    this.#isOver = true;
    const lost = this.#waiting();
    this.#drop(lost);
    if (lost > 0)
      this.#log(
        'warn',
        `keyrail: lost ${lost} telemetry ${lost === 1 ? 'event' : 'events'} on close`,
      );
    this.#queue.length = 0;
    this.#fresh.length = 0;
    this.#queued = 0;
    this.#batch = null;
  }

  /**
   * Runs one step, but waits at most `leftMs` for it, because a batch that is already being sent
   * may take longer.
   */
  async #stepWithin(leftMs: number): Promise<number> {
    let cancel = () => {};
    const over = new Promise<number>((done) => {
      cancel = this.#clock.after(leftMs, () => done(Number.POSITIVE_INFINITY));
    });
    const waitMs = await Promise.race([this.#step(Math.min(SEND_MS_MAX, leftMs)), over]);
    cancel();
    return waitMs;
  }

  state(): TelemetryState {
    return { queued: this.#waiting(), sent: this.#sent, dropped: this.#dropped };
  }

  #waiting(): number {
    return this.#queued + (this.#batch?.lines.count ?? 0);
  }

  #drop(count: number): void {
    this.#dropped += count;
    this.#unreported += count;
  }

  #schedule(): void {
    const isFull = this.#queued >= this.#settings.batchMax;
    this.#later(isFull ? 0 : this.#settings.flushMs);
  }

  #later(ms: number): void {
    this.#cancel?.();
    this.#cancel = this.#clock.after(ms, () => {
      this.#cancel = null;
      void this.#step();
    });
  }

  /** Sends one batch unless one is being sent; resolves with the wait before the next. */
  #step(timeoutMs = SEND_MS_MAX): Promise<number> {
    this.#sending ??= this.#sendBatch(timeoutMs).finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  async #sendBatch(timeoutMs: number): Promise<number> {
    // The back-off ends here, even if there is nothing to send.
    this.#isResting = false;
    this.#batch ??= this.#take();
    if (this.#batch === null) return 0;
    const batch = this.#batch;
    const failure = await this.#sender.send(batch, timeoutMs);
    // `close` has given up on this batch in the meantime and counted it as dropped.
    if (this.#isOver) return 0;
    const waitMs = this.#settle(batch, failure);
    this.#isResting = waitMs > 0;
    if (this.#isClosed) return waitMs;
    if (this.#isResting) this.#later(waitMs * (1 + this.#chance() * JITTER));
    else if (this.#queued > 0) this.#schedule();
    return waitMs;
  }

  #take(): Batch | null {
    this.#writeDown();
    const lines = this.#queue.shift();
    if (lines === undefined) return null;
    this.#queued -= lines.count;
    const batch = { batchId: randomUUID(), lines, dropped: this.#unreported };
    this.#unreported = 0;
    return batch;
  }

  /** Accounts for the result of a batch; returns the wait before the next one. */
  #settle(batch: Batch, failure: Failure | null): number {
    if (failure !== null && !failure.hard) {
      const backoffMs = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_FIRST * 2 ** this.#failures);
      this.#failures += 1;
      return (failure.kind === 'refused' && failure.retryAfterMs) || backoffMs;
    }
    this.#batch = null;
    this.#failures = 0;
    this.#spare = batch.lines;
    if (failure === null) {
      this.#sent += batch.lines.count;
      return 0;
    }
    this.#drop(batch.lines.count);
    this.#unreported += batch.dropped;
    return HARD_WAIT_MS;
  }
}
