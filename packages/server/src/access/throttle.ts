// Guessing must be slow: how often one client address and one mail address may knock at the doors
// that need no credential. It counts what was submitted, so it is the same for known and unknown.

import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';

export type Throttle = { charge(clientAddress: string, email?: string): void };

export const noThrottle: Throttle = { charge: () => {} };

const WINDOW_MS = 60_000;
const PER_CLIENT_MAX = 120;
const PER_EMAIL_MAX = 10;
/** More names than this in one minute: the oldest are forgotten, memory stays bounded. */
const NAMES_MAX = 100_000;

export function throttleBy(clock: Clock): Throttle {
  const counts = new Map<string, { window: number; count: number }>();

  function charge(name: string, max: number): void {
    const nowMs = clock.now().getTime();
    const window = Math.floor(nowMs / WINDOW_MS);
    const known = counts.get(name);
    const count = known?.window === window ? known.count + 1 : 1;
    counts.delete(name); // re-inserted at the end: the map's order is that of the last knock
    counts.set(name, { window, count });
    for (const oldest of counts.keys()) {
      if (counts.size <= NAMES_MAX) break;
      counts.delete(oldest);
    }
    if (count > max) {
      const seconds = Math.ceil(((window + 1) * WINDOW_MS - nowMs) / 1000);
      throw new ApiError('rate_limited', undefined, { headers: { 'retry-after': `${seconds}` } });
    }
  }

  return {
    charge(clientAddress, email) {
      charge(`client ${clientAddress}`, PER_CLIENT_MAX);
      if (email !== undefined) charge(`email ${email.toLowerCase()}`, PER_EMAIL_MAX);
    },
  };
}
