// The time by which keys expire: this machine's, but never earlier than what the control plane has
// said, counted on by a clock that only runs forward. A clock that is set back revives no key.
import type { Clock } from './clock.ts';

/** How long the wall clock is extrapolated: reading it costs twice as much as the other one. */
const SAMPLE_MS = 100;

export type Time = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Takes note of what the control plane's clock said. */
  heard(serverAt: number): void;
};

export function createTime(clock: Clock): Time {
  let sampledAt = Number.NEGATIVE_INFINITY;
  /** What is to be added to the monotonic clock: by the wall clock, and at least. */
  let wall = 0;
  let floor = Number.NEGATIVE_INFINITY;
  return {
    now: () => {
      const elapsed = clock.monotonicMs();
      if (elapsed - sampledAt >= SAMPLE_MS) {
        sampledAt = elapsed;
        wall = clock.now() - elapsed;
      }
      return elapsed + (wall > floor ? wall : floor);
    },
    heard: (serverAt) => {
      floor = Math.max(floor, serverAt - clock.monotonicMs());
    },
  };
}
