// A clock that a test advances by hand.
import type { Clock } from '../src/clock.ts';

export type ManualClock = Clock & {
  /** Advances the time and runs due timers in order; lets promises settle in between. */
  pass(ms: number): Promise<void>;
  /** Freezes the process: both clocks advance, and no timers run. */
  freeze(ms: number): void;
  /**
   * Moves only the wall clock, as happens when the clock is set or while the machine is suspended.
   */
  step(ms: number): void;
  /** The number of active timers. */
  timers(): number;
};

export function manualClock(startMs = Date.UTC(2026, 0, 1)): ManualClock {
  let elapsed = 0;
  let stepped = 0;
  const due = new Set<{ at: number; act: () => void }>();
  const settle = async () => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    // Whole milliseconds, like a real clock.
    now: () => Math.floor(startMs + elapsed + stepped),
    monotonicMs: () => elapsed,
    after: (ms, act) => {
      const timer = { at: elapsed + ms, act };
      due.add(timer);
      return () => void due.delete(timer);
    },
    timers: () => due.size,
    freeze: (ms) => {
      elapsed += ms;
    },
    step: (ms) => {
      stepped += ms;
    },
    pass: async (ms) => {
      const until = elapsed + ms;
      await settle();
      for (;;) {
        const next = [...due].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        due.delete(next);
        elapsed = Math.max(elapsed, next.at);
        next.act();
        await settle();
      }
      elapsed = Math.max(elapsed, until);
    },
  };
}
