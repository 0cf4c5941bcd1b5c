// Time and chance as parts that are handed in: the only file that takes them from the runtime.
import { performance } from 'node:perf_hooks'; // found quicker than the global of that name

export type Clock = {
  /** Milliseconds since the epoch, as this machine has it. */
  now(): number;
  /** Milliseconds that only grow, for measuring spans. */
  monotonicMs(): number;
  /** Runs `act` once, later; the timer does not keep the process alive. Cancelled by the result. */
  after(ms: number, act: () => void): () => void;
};

/** A timer that is asked to wait for longer fires at once. */
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

/** From 0 to, not including, 1. */
export type Chance = () => number;

/** Drawn many at a time: a single draw costs as much as a whole decision. */
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
