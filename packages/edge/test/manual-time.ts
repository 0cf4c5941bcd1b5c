// A clock that does not move until a test advances it.
import type { RelayClock } from '../src/relay/clock.ts';

type Timer = { at: number; act(): void };

export type ManualTime = RelayClock & { pass(ms: number): Promise<void> };

/** Lets pending promises and immediates run. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

export function manualTime(): ManualTime {
  const timers = new Set<Timer>();
  let now = 0;
  const next = () => [...timers].toSorted((a, b) => a.at - b.at)[0];
  return {
    nowMs: () => now,
    after(ms, act) {
      const timer = { at: now + ms, act };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async pass(ms) {
      const end = now + ms;
      await settled();
      for (let due = next(); due && due.at <= end; due = next()) {
        timers.delete(due);
        now = due.at;
        due.act();
        await settled();
      }
      now = end;
    },
  };
}
