// Moments on both clocks of this machine, and the time used for key expiry: this machine's clock,
// but never earlier than the control plane's last known time, advanced by the monotonic clock.
// Setting this machine's clock back does not bring an expired key back to life.
import type { Clock } from '../clock.ts';

/**
 * The maximum delay of a response. If the server's time is further back than that, the server's
 * clock has been corrected, and the time used for key expiry moves back with it.
 */
const DELAY_MS_MAX = 600_000;

/** The wall clock may be set; the monotonic clock may stop while a machine is suspended. */
export type Moment = { readonly wallMs: number; readonly elapsedMs: number };

export const momentOf = (clock: Clock): Moment => ({
  wallMs: clock.now(),
  elapsedMs: clock.monotonicMs(),
});

/** How long ago a moment was, according to the clock that has advanced further. */
export const msSince = (then: Moment, now: Moment): number =>
  Math.max(now.wallMs - then.wallMs, now.elapsedMs - then.elapsedMs);

export const earlier = (a: Moment, b: Moment): Moment => ({
  wallMs: Math.min(a.wallMs, b.wallMs),
  elapsedMs: Math.min(a.elapsedMs, b.elapsedMs),
});

export type Time = {
  /** Returns the time for key expiry, in milliseconds since the epoch. */
  at(moment: Moment): number;
  /** Records the control plane's time from a response. */
  heard(serverAt: number): void;
};

export function createTime(clock: Clock): Time {
  /**
   * The largest offset seen between the server's clock and the monotonic clock. Late responses show
   * a smaller offset.
   */
  let floor = Number.NEGATIVE_INFINITY;
  return {
    at: ({ wallMs, elapsedMs }) => Math.max(wallMs, elapsedMs + floor),
    heard: (serverAt) => {
      const offset = serverAt - clock.monotonicMs();
      if (offset > floor || offset < floor - DELAY_MS_MAX) floor = offset;
    },
  };
}
