// Charges one request against a key's limits.
import type { RateLimitRule, RequestContext, UnverifiedContext } from '../api/context.ts';
import type { RouteOptions } from '../api/route.ts';
import type { LimitVerdict } from '../limits/counter-calls.ts';
import { type Limits, limitHeaders } from '../limits/limits.ts';
import { type Refused, refuse } from './refusal.ts';

type LimitedCall = {
  context: RequestContext | UnverifiedContext;
  route: RouteOptions;
  rules: readonly RateLimitRule[];
  /** The node's option, which a route may override. */
  leases: boolean;
};

export type Charged = { headers: Readonly<Record<string, string>> } | Refused;

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});
export const NOTHING_CHARGED: Charged = Object.freeze({ headers: NO_HEADERS });

/**
 * Sets `context.rateLimit`, to null if the counters are unreachable. Returns a promise only if it
 * has to wait.
 */
export function chargeLimits(limits: Limits, call: LimitedCall): Charged | Promise<Charged> {
  const { context, route, rules } = call;
  const { cost = 1, leases = call.leases } = route.rateLimit || {};
  const verdict = limits.charge(context, rules, { cost, leases });
  // Not `instanceof Promise`, because an app may have replaced the global Promise.
  return 'kind' in verdict
    ? chargedBy(verdict, call)
    : verdict.then((later) => chargedBy(later, call));
}

function chargedBy(verdict: LimitVerdict, { context, route }: LimitedCall): Charged {
  if (verdict.kind === 'unreachable') {
    const { onUnavailable = 'allow' } = route.rateLimit || {};
    context.rateLimit = null;
    if (onUnavailable === 'allow') return NOTHING_CHARGED;
    return { refused: refuse('unavailable'), reason: 'unavailable' };
  }
  context.rateLimit = verdict.states;
  const headers = limitHeaders(verdict.states);
  if (verdict.allowed) return { headers };
  const { retryAfterSeconds } = verdict;
  const reason = 'rate_limited';
  return { refused: refuse(reason, { retryAfterSeconds, headers }), reason };
}
