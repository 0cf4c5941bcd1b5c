// The results of rate-limit checks and leases.
import { z } from 'zod';
import { Count } from './wire.ts';

/** Counter fields shared by check and lease responses. */
const counted = {
  limited_policy: z.string().nullable(),
  // Null if no limit is exceeded, and also if the cost alone exceeds one, because waiting would not
  // help then.
  retry_after_seconds: Count.nullable(),
  store: z.enum(['redis', 'memory']),
  policies: z.array(
    z.strictObject({
      id: z.string(),
      limit: z.int().min(1),
      window_ms: z.int().min(1),
      remaining: Count,
      reset_ms: Count,
    }),
  ),
};

export const RatelimitResult = z
  .strictObject({ object: z.literal('ratelimit_result'), allowed: z.boolean(), ...counted })
  .meta({ id: 'RatelimitResult' });
export type RatelimitResult = z.output<typeof RatelimitResult>;

export const RatelimitLease = z
  .strictObject({
    object: z.literal('ratelimit_lease'),
    lease_id: z.string(),
    granted: Count,
    expires_in_ms: Count,
    ...counted,
  })
  .meta({ id: 'RatelimitLease' });
export type RatelimitLease = z.output<typeof RatelimitLease>;

export const RatelimitLeaseReturn = z
  .strictObject({ object: z.literal('ratelimit_lease'), lease_id: z.string(), returned: Count })
  .meta({ id: 'RatelimitLeaseReturn' });
export type RatelimitLeaseReturn = z.output<typeof RatelimitLeaseReturn>;
