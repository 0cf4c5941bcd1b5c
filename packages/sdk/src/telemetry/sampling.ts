// Chooses the requests that are reported to telemetry: all of them up to a certain rate, and a
// random sample above it. Each event includes its share, the probability with which it was chosen,
// so that dividing by it makes totals correct on average. A key's first request in each minute is
// always reported, with share 1, so that every key and tenant appears.
import type { Chance, Clock } from '../clock.ts';

export const EVENTS_PER_SECOND_MAX = 1_000;
const KEYS_MAX = 10_000;
const WINDOW_MS = 1_000;
const KEYS_MS = 60_000;

type SamplingParts = { clock: Clock; chance: Chance; sampleRate: number };

export class Sampling {
  readonly #parts: SamplingParts;
  /** Keys that were reported in the current minute, and when that minute began. */
  readonly #keys = new Set<string>();
  #keysSince: number;
  #since: number;
  #seen = 0;
  #share: number;
  /**
   * How many requests are skipped before the next one is chosen; null until the number is drawn.
   */
  #toPass: number | null = null;

  constructor(parts: SamplingParts) {
    this.#parts = parts;
    this.#share = parts.sampleRate;
    this.#since = parts.clock.monotonicMs();
    this.#keysSince = this.#since;
  }

  /** Returns the probability with which this request was chosen; null if it was not chosen. */
  choose(key: string | null, beganAt: number): number | null {
    this.#adjust(beganAt);
    if (this.#share >= 1) return 1;
    if (key !== null && !this.#keys.has(key) && this.#keys.size < KEYS_MAX) {
      this.#keys.add(key);
      return 1;
    }
    return this.#isChosen() ? this.#share : null;
  }

  /**
   * Adjusts the share based only on earlier requests, so that it remains this request's
   * probability.
   */
  #adjust(now: number): void {
    const { sampleRate } = this.#parts;
    const spanMs = now - this.#since;
    if (spanMs >= WINDOW_MS) {
      const perSecond = (this.#seen * 1000) / spanMs;
      this.#setShare(Math.min(sampleRate, EVENTS_PER_SECOND_MAX / Math.max(1, perSecond)));
      this.#since = now;
      this.#seen = 0;
    }
    if (now - this.#keysSince >= KEYS_MS) {
      this.#keys.clear();
      this.#keysSince = now;
    }
    // A sudden burst lowers the share immediately, before the current second is over.
    const expected = EVENTS_PER_SECOND_MAX / this.#share;
    if (this.#seen >= 2 * expected) this.#setShare(this.#share / 2);
    this.#seen += 1;
  }

  #setShare(share: number): void {
    if (share === this.#share) return;
    this.#share = share;
    this.#toPass = null;
  }

  /**
   * Each request is chosen independently, with the same probability. Instead of one random number
   * per request, this draws how many requests to skip, because random numbers are expensive.
   */
  #isChosen(): boolean {
    this.#toPass ??= this.#drawn();
    if (this.#toPass > 0) {
      this.#toPass -= 1;
      return false;
    }
    this.#toPass = this.#drawn();
    return true;
  }

  #drawn(): number {
    return Math.floor(Math.log(1 - this.#parts.chance()) / Math.log(1 - this.#share));
  }
}
