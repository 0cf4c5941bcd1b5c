// Verdicts → ratelimit_result objects.
import type { RatelimitResult } from '@keyrail/protocol/objects/ratelimit.ts';
import type { RateLimit } from '@keyrail/protocol/validators.ts';
import { SECOND_MS } from '../../base/duration.ts';
import { type Counters, NEVER, type Verdict } from '../../volatile/counters.ts';

export function presentVerdict(
  { allowed, tallies, limited }: Verdict,
  rules: readonly RateLimit[],
  store: Counters['store'],
): RatelimitResult {
  const waitMs = limited === null ? NEVER : (tallies[limited]?.waitMs ?? NEVER);
  return {
    object: 'ratelimit_result',
    allowed,
    limited_policy: limited === null ? null : (rules[limited]?.id ?? null),
    retry_after_seconds: waitMs === NEVER ? null : Math.ceil(waitMs / SECOND_MS),
    store,
    policies: rules.map(({ id, limit, window_ms }, at) => ({
      id,
      limit,
      window_ms,
      // A lowered limit may be below the current count.
      remaining: Math.max(0, limit - (tallies[at]?.used ?? 0)),
      reset_ms: tallies[at]?.resetMs ?? 0,
    })),
  };
}
