// Charges rate limits to the shared counters or to leased units, and reports them in headers.
import type { OpenContext, RateLimitRule, RateLimitState } from '../api/context.ts';
import {
  type CallParts,
  type CounterCalls,
  costOf,
  createCounterCalls,
  type LimitVerdict,
} from './counter-calls.ts';
import { createLeases } from './leases.ts';

export type Limits = Pick<CounterCalls, 'check'> & {
  /**
   * Charges like a check. Returns the verdict itself, not a promise, if the node has already leased
   * the units. Never throws and never rejects.
   */
  charge(
    context: NonNullable<OpenContext>,
    rules: readonly RateLimitRule[],
    route: { cost: number; leases: boolean },
  ): LimitVerdict | Promise<LimitVerdict>;
  /** Returns the unused units of leases, within the timeout. */
  close(timeoutMs: number): Promise<void>;
};

export function createLimits(parts: CallParts): Limits {
  const calls = createCounterCalls(parts);
  const leases = createLeases({ calls, clock: parts.clock });
  return {
    check: calls.check,
    charge: (context, rules, { cost, leases: isLeased }) =>
      isLeased && context.keyId !== null
        ? leases.charge(context, rules, costOf(cost))
        : calls.check(context, rules, cost),
    close: leases.close,
  };
}

/**
 * `RateLimit` and `RateLimit-Policy` as in the IETF draft: lists of strings with parameters (quota
 * and window; remaining and reset). Limit IDs need no escaping. A sliding counter may take up to a
 * sixteenth of its window longer to reset; the header never states more than the window.
 */
export function limitHeaders(states: readonly RateLimitState[]): Record<string, string> {
  if (states.length === 0) return {};
  const seconds = (ms: number) => Math.ceil(ms / 1000);
  const policies = states.map(
    ({ id, limit, windowMs }) => `"${id}";q=${limit};w=${seconds(windowMs)}`,
  );
  const counters = states.map(
    ({ id, remaining, windowMs, resetMs }) =>
      `"${id}";r=${remaining};t=${seconds(Math.min(resetMs, windowMs))}`,
  );
  return { 'ratelimit-policy': policies.join(', '), ratelimit: counters.join(', ') };
}
