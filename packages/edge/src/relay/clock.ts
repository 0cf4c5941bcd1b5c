// The clock and timers that the relay uses.

export type RelayClock = {
  /** Never goes backwards. */
  nowMs(): number;
  /** Returns a function that cancels the call. */
  after(ms: number, act: () => void): () => void;
};

export const relayClock: RelayClock = {
  nowMs: () => performance.now(),
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};
