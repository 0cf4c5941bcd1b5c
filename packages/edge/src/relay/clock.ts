// Time, as the relay needs it.

export type RelayClock = {
  /** Never goes back. */
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
