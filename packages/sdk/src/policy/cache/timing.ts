// Schedules writes: each at the earliest requested time, and never two of the same kind in
// parallel.
import type { Clock } from '../../clock.ts';

export type Earliest = {
  /** Runs the action within this time, or sooner if an earlier time has already been requested. */
  within(ms: number): void;
  /** Runs the action once the previous run has ended; resolves when the new run has ended too. */
  now(): Promise<void>;
  /** Starts no further runs; resolves when the current one has ended. */
  close(): Promise<void>;
};

/** Runs an action at the earliest requested time, one run at a time. `act` must not reject. */
export function earliest(clock: Clock, act: () => Promise<void>): Earliest {
  let acting = Promise.resolve();
  let dueAt = Number.POSITIVE_INFINITY;
  let cancel = () => {};
  let isClosed = false;
  const now = () => {
    cancel();
    dueAt = Number.POSITIVE_INFINITY;
    if (!isClosed) acting = acting.then(act);
    return acting;
  };
  return {
    within: (ms) => {
      const at = clock.monotonicMs() + ms;
      if (at >= dueAt || isClosed) return;
      cancel();
      dueAt = at;
      cancel = clock.after(ms, now);
    },
    now,
    close: () => {
      isClosed = true;
      cancel();
      return acting;
    },
  };
}

export type Shared<T> = () => Promise<T>;

/** Runs an action, one run at a time. All callers that arrive during a run share the next run. */
export function shared<T>(act: () => Promise<T>): Shared<T> {
  let running: Promise<T> | null = null;
  let next: Promise<T> | null = null;
  const begin = (): Promise<T> => {
    next = null;
    running = act().finally(() => {
      running = null;
    });
    return running;
  };
  return () => {
    if (running === null) return begin();
    next ??= running.then(begin, begin);
    return next;
  };
}
