// The budget of events for each minute, and how its end is told.
import { INGEST_WINDOW_SECONDS } from '@keyrail/protocol/limits.ts';
import { SECOND_MS } from '../../base/duration.ts';
import { ApiError } from '../../base/errors.ts';

export type Charge = {
  allowed: boolean;
  /** What the minute holds, this charge included if it was made. */
  charged: number;
  resetMs: number;
  /** When it was made, by the database's clock. */
  moment: Date;
};

export function refuseOver({ allowed, charged, resetMs }: Charge, eventsPerMinute: number): void {
  if (allowed) return;
  const seconds = Math.max(1, Math.ceil(resetMs / SECOND_MS));
  const left = Math.max(0, eventsPerMinute - charged);
  throw new ApiError('rate_limited', undefined, {
    headers: {
      'retry-after': `${seconds}`,
      ratelimit: `"ingest";r=${left};t=${seconds}`,
      'ratelimit-policy': `"ingest";q=${eventsPerMinute};w=${INGEST_WINDOW_SECONDS}`,
    },
  });
}
