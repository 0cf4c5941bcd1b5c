// The time used for key expiry: this machine's clock, but never earlier than the control plane's
// last known time, advanced by the monotonic clock. Setting this machine's clock back does not
// bring an expired key back to life.
import type { Clock } from '../clock.ts';

/** How long a wall clock reading is reused: it costs twice as much as a monotonic one. */
const SAMPLE_MS = 100;

/**
 * A response may be late by up to this. If the server's time is further back, its clock was
 * corrected, and the floor moves back with it.
 */
const DELAY_MS_MAX = 600_000;

export type Time = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Records the control plane's time from a response. */
  heard(serverAt: number): void;
};

export function createTime(clock: Clock): Time {
  let sampledAt = Number.NEGATIVE_INFINITY;
  /** Offsets to the monotonic clock: by the wall clock, and the minimum by the server's. */
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
      const offset = serverAt - clock.monotonicMs();
      if (offset > floor || offset < floor - DELAY_MS_MAX) floor = offset;
    },
  };
}
