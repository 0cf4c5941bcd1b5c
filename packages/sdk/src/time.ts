// The time by which keys expire: this machine's, but never earlier than what the control plane said
// last, counted on by a clock that only runs forward. A clock of this machine that is set back
// revives no key.
import type { Clock } from './clock.ts';

/** How long the wall clock is extrapolated: reading it costs twice as much as the other one. */
const SAMPLE_MS = 100;

/** What is said may have been long under way; by more than this, the other clock was put right. */
const DELAY_MS_MAX = 600_000;

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
      const told = serverAt - clock.monotonicMs();
      if (told > floor || told < floor - DELAY_MS_MAX) floor = told;
    },
  };
}
