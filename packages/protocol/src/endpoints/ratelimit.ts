// Shared counters for a fleet of nodes. A denial is an answer, not an error.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { RATE_LIMIT_COST_DEFAULT, RATE_LIMIT_COST_MAX, RATE_LIMIT_COST_MIN } from '../limits.ts';
import { RatelimitResult } from '../objects/ratelimit.ts';
import { Env, RateLimits, Uuid } from '../validators.ts';

export const ratelimitEndpoints = endpoints({
  'POST /v1/ratelimit/check': {
    auth: 'machineHot',
    summary: 'Check and charge rate limits',
    description:
      'All rules are charged together or not at all. A `cost` of 0 only looks. A workspace may have ' +
      'a bounded number of live counters in each environment: a check that needs more is answered 429.',
    body: z.strictObject({
      project_id: Uuid,
      env: Env,
      key_id: Uuid.nullable().default(null),
      tenant_id: Uuid.nullable().default(null),
      cost: z
        .int()
        .min(RATE_LIMIT_COST_MIN)
        .max(RATE_LIMIT_COST_MAX)
        .default(RATE_LIMIT_COST_DEFAULT),
      limits: RateLimits.min(1),
    }),
    answers: { 200: RatelimitResult },
  },
});
