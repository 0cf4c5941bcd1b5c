// The injected clock. Stored times come from the database's clock (app_now() in the first
// migration). This clock is for code that doesn't use the database. It also holds the shift that
// tests apply to both clocks.

export type Clock = {
  /** The current instant, to the millisecond. */
  now(): Date;
  /**
   * How many milliseconds this clock and the database's clock are shifted by. Always 0 outside
   * tests.
   */
  shiftMs(): number;
};

export const systemClock: Clock = {
  now: () => new Date(),
  shiftMs: () => 0,
};

/** Monotonic milliseconds for measuring durations. Changes to the wall clock do not affect it. */
export const monotonicMs = (): number => performance.now();
