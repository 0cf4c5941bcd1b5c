// The budget of events per minute, and the response when it is used up.
import { INGEST_WINDOW_SECONDS } from '@keyrail/protocol/wire/limits.ts';
import { SECOND_MS } from '../../base/duration.ts';
import { ApiError } from '../../base/errors.ts';

export type Charge = {
  allowed: boolean;
  /** Events charged in this minute, including this charge if it was allowed. */
  charged: number;
  resetMs: number;
  /** Time of the charge by the database's clock. */
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
