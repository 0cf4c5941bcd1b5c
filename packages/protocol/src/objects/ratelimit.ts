// The result of one rate-limit check.
import { z } from 'zod';
import { Count } from './wire.ts';

export const RatelimitResult = z
  .strictObject({
    object: z.literal('ratelimit_result'),
    allowed: z.boolean(),
    limited_policy: z.string().nullable(),
    // Also null when waiting does not help, because the cost alone exceeds the limit.
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
  })
  .meta({ id: 'RatelimitResult' });
export type RatelimitResult = z.output<typeof RatelimitResult>;
