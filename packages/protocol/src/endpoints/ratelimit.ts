// Counters shared by all nodes. A denial is a 200 response, not an error.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { RatelimitResult } from '../objects/ratelimit.ts';
import { Env, RateLimits, Uuid } from '../validators.ts';
import {
  RATE_LIMIT_COST_DEFAULT,
  RATE_LIMIT_COST_MAX,
  RATE_LIMIT_COST_MIN,
} from '../wire/limits.ts';

export const ratelimitEndpoints = endpoints({
  'POST /v1/ratelimit/check': {
    auth: 'machineHot',
    summary: 'Check and charge rate limits',
    description:
      'Called by a node for each request that has limits. All rules are charged, or none. A ' +
      '`cost` of 0 checks without charging. The number of active counters per workspace and ' +
      'environment is limited: a check that needs more gets 429.',
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
    refusals: { 429: 'The workspace has its maximum number of active counters.' },
    answers: { 200: RatelimitResult },
  },
});
