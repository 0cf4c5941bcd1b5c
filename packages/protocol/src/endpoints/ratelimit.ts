// Rate-limit counters shared by all nodes. Exceeding a limit is a 200 response, not an error.
import { z } from 'zod';
import { endpoints } from '../endpoint.ts';
import { RatelimitLease, RatelimitLeaseReturn, RatelimitResult } from '../objects/ratelimit.ts';
import { text } from '../text.ts';
import { Env, RateLimits, Uuid } from '../validators.ts';
import {
  RATE_LIMIT_COST_DEFAULT,
  RATE_LIMIT_COST_MAX,
  RATE_LIMIT_COST_MIN,
  RATE_LIMIT_LEASE_ID_CHARS_MAX,
  RATE_LIMIT_LEASE_MAX,
  RATE_LIMIT_LEASE_MIN,
} from '../wire/limits.ts';

/** Whose requests are counted, and the rules that apply. */
const subject = {
  project_id: Uuid,
  env: Env,
  key_id: Uuid.nullable().default(null),
  tenant_id: Uuid.nullable().default(null),
};
const limits = RateLimits.min(1);
const Units = z.int().min(RATE_LIMIT_LEASE_MIN).max(RATE_LIMIT_LEASE_MAX);

const refusals = { 429: 'The workspace has reached its maximum number of active counters.' };

export const ratelimitEndpoints = endpoints({
  'POST /v1/ratelimit/check': {
    auth: 'machineHot',
    permission: 'limits:write',
    summary: 'Check and charge rate limits',
    description:
      'Nodes call this for each rate-limited request. Either all rules are charged or none. A ' +
      '`cost` of 0 checks without charging. The number of active counters per workspace and ' +
      'environment is limited: a check that needs more gets 429.',
    body: z.strictObject({
      ...subject,
      cost: z
        .int()
        .min(RATE_LIMIT_COST_MIN)
        .max(RATE_LIMIT_COST_MAX)
        .default(RATE_LIMIT_COST_DEFAULT),
      limits,
    }),
    refusals,
    answers: { 200: RatelimitResult },
  },
  'POST /v1/ratelimit/lease': {
    auth: 'machineHot',
    permission: 'limits:write',
    summary: 'Lease part of a rate limit',
    description:
      'Charges up to `want` units in one step, on the same counters as checks. The caller may ' +
      'spend the `granted` units without further calls until `expires_in_ms` after it sent the ' +
      'request, measured with a monotonic clock. All rules are charged the same amount, or ' +
      'nothing if no units remain: `granted` is then 0, with `limited_policy` as in a check. A ' +
      'lease expires with the window of a `fixed` rule, and after a sixteenth of the window of a ' +
      '`sliding` one, so no interval ever exceeds its limit. Units that are not returned stay ' +
      'charged.',
    body: z.strictObject({ ...subject, want: Units, limits }),
    refusals,
    answers: { 200: RatelimitLease },
  },
  'POST /v1/ratelimit/return': {
    auth: 'machineHot',
    permission: 'limits:write',
    summary: 'Return the rest of a lease',
    description:
      'Takes the `unused` units of a lease off its counters. A lease can be returned once, with ' +
      'the same subject and limits. `returned` is 0 and nothing changes if the lease has ' +
      'expired, has already been returned or is unknown, or if `unused` is more than was granted.',
    body: z.strictObject({
      ...subject,
      lease_id: text(1, RATE_LIMIT_LEASE_ID_CHARS_MAX),
      unused: Units,
      limits,
    }),
    answers: { 200: RatelimitLeaseReturn },
  },
});
