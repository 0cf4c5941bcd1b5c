// Time and randomness. Both are injected, so only this file reads them from the runtime.
import { performance } from 'node:perf_hooks'; // faster to access than the global `performance`

export type Clock = {
  /** Milliseconds since the epoch, by this machine's clock. */
  now(): number;
  /** Milliseconds on a monotonic clock, for measuring durations. */
  monotonicMs(): number;
  /**
   * Runs `act` once after `ms`, without keeping the process alive. Returns a function that cancels
   * it.
   */
  after(ms: number, act: () => void): () => void;
};

/** `setTimeout` fires immediately when the delay is longer than this. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (ms, act) => {
    const timer = setTimeout(act, Math.min(ms, TIMER_MS_MAX));
    timer.unref?.();
    return () => clearTimeout(timer);
  },
};

/** A random number from 0 (inclusive) to 1 (exclusive). */
export type Chance = () => number;

/**
 * Random numbers are drawn in blocks, because drawing each one separately costs as much as a whole
 * decision.
 */
const drawn = new Uint32Array(256);
let left = 0;

export const systemChance: Chance = () => {
  if (left === 0) {
    crypto.getRandomValues(drawn);
    left = drawn.length;
  }
  left -= 1;
  return (drawn[left] ?? 0) / 2 ** 32;
};
