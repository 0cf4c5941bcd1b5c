// When a write begins: at the earliest time that was asked for, and never two of a kind at once.
import type { Clock } from '../clock.ts';

export type Earliest = {
  /** Acts within this time, or sooner if that was asked for already. */
  within(ms: number): void;
  /** Acts as soon as the act before has ended; resolves when this one has. */
  now(): Promise<void>;
  /** Nothing more is begun; resolves when what was begun has ended. */
  close(): Promise<void>;
};

/** One act after the other, each at the earliest time that was asked for. It must not reject. */
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

/** One act at a time. All callers that come while one runs share the next. */
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
