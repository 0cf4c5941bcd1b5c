// Which requests are told. Up to a rate all of them; beyond it a share, which each told event
// bears, so that whoever adds up divides by it and is right on average. The first request of a key
// in a minute is always told, and stands for itself alone: no key and no tenant goes unseen.
import type { Chance, Clock } from './clock.ts';

export const EVENTS_PER_SECOND_MAX = 1_000;
const KEYS_MAX = 10_000;
const WINDOW_MS = 1_000;
const KEYS_MS = 60_000;

type SamplingParts = { clock: Clock; chance: Chance; sampleRate: number };

export class Sampling {
  readonly #parts: SamplingParts;
  readonly #told = new Set<string>();
  #toldSince: number;
  #since: number;
  #seen = 0;
  #share: number;
  /** How many requests are passed over before the next one is chosen; null before it is drawn. */
  #toPass: number | null = null;

  constructor(parts: SamplingParts) {
    this.#parts = parts;
    this.#share = parts.sampleRate;
    this.#since = parts.clock.monotonicMs();
    this.#toldSince = this.#since;
  }

  /** The chance with which the request of a key that began then was chosen; null if it was not. */
  choose(key: string | null, beganAt: number): number | null {
    this.#adjust(beganAt);
    if (this.#share >= 1) return 1;
    if (key !== null && !this.#told.has(key) && this.#told.size < KEYS_MAX) {
      this.#told.add(key);
      return 1;
    }
    return this.#isChosen() ? this.#share : null;
  }

  /** What went before decides, never the request itself: else the share would not be its chance. */
  #adjust(now: number): void {
    const { sampleRate } = this.#parts;
    const spanMs = now - this.#since;
    if (spanMs >= WINDOW_MS) {
      const perSecond = (this.#seen * 1000) / spanMs;
      this.#setShare(Math.min(sampleRate, EVENTS_PER_SECOND_MAX / Math.max(1, perSecond)));
      this.#since = now;
      this.#seen = 0;
    }
    if (now - this.#toldSince >= KEYS_MS) {
      this.#told.clear();
      this.#toldSince = now;
    }
    // A rush is not left until its second is over.
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
   * Each with the same chance, independent of the others; but drawn as the number of those that are
   * passed over, because chance is dear and most requests are.
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
