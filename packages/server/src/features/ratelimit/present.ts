// Turns verdicts into ratelimit_result and ratelimit_lease objects.
import type { RatelimitLease, RatelimitResult } from '@keyrail/protocol/objects/ratelimit.ts';
import type { RateLimit } from '@keyrail/protocol/validators.ts';
import { SECOND_MS } from '../../base/duration.ts';
import { type Counters, type Lease, NEVER, type Verdict } from '../../volatile/counters.ts';

export const presentVerdict = (
  verdict: Verdict,
  rules: readonly RateLimit[],
  store: Counters['store'],
): RatelimitResult => ({
  object: 'ratelimit_result',
  allowed: verdict.allowed,
  ...presentCounters(verdict, rules, store),
});

export const presentLease = (
  lease: Lease,
  rules: readonly RateLimit[],
  store: Counters['store'],
): RatelimitLease => ({
  object: 'ratelimit_lease',
  lease_id: lease.leaseId,
  granted: lease.granted,
  expires_in_ms: lease.expiresInMs,
  ...presentCounters(lease, rules, store),
});

function presentCounters(
  { tallies, limited }: Verdict,
  rules: readonly RateLimit[],
  store: Counters['store'],
): Omit<RatelimitResult, 'object' | 'allowed'> {
  const waitMs = limited === null ? NEVER : (tallies[limited]?.waitMs ?? NEVER);
  return {
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
