// Time as a part that is handed in. The database's clock is the one that counts (see app_now()
// in the first migration); this one serves what never touches the database, and carries the
// shift by which tests move both.

export type Clock = {
  /** The current instant, to the millisecond. */
  now(): Date;
  /** Milliseconds by which the database's clock is shifted too: always 0 outside tests. */
  shiftMs(): number;
};

export const systemClock: Clock = {
  now: () => new Date(),
  shiftMs: () => 0,
};

/** Milliseconds that only grow, for measuring spans: a stepped wall clock does not disturb it. */
export const monotonicMs = (): number => performance.now();
