// Rate limits: one request to the shared counters, and the headers that report them.
import {
  RATE_LIMIT_COST_MAX,
  RATE_LIMIT_MAX,
  RATE_LIMIT_WINDOW_MS_MAX,
} from '@keyrail/protocol/wire/limits.ts';
import type { OpenContext, RateLimitRule, RateLimitState } from '../api/context.ts';
import type { Log } from '../api/options.ts';
import type { Clock } from '../clock.ts';
import {
  clampedNumber,
  readBoolean,
  readInteger,
  readList,
  readRecord,
  readText,
} from '../json.ts';
import type { Transport } from '../transport.ts';

type LimitVerdict =
  | {
      kind: 'counted';
      allowed: boolean;
      states: RateLimitState[];
      /** Null when the request was allowed, and when waiting would not help. */
      retryAfterSeconds: number | null;
    }
  | { kind: 'unreachable' };

export type Limits = {
  /** Charges all rules or none. Never throws; waits at most `rateLimitTimeoutMs`. */
  check(
    context: NonNullable<OpenContext>,
    rules: readonly RateLimitRule[],
    cost: number,
  ): Promise<LimitVerdict>;
};

/** After a failure, one request per interval tries again; the others skip the check. */
const REST_MS = 1_000;
const ANSWER_BYTES_MAX = 64 * 1024;
/** A sliding window may need two window lengths until its full quota is back. */
const RESET_MS_MAX = 2 * RATE_LIMIT_WINDOW_MS_MAX;
const WAIT_SECONDS = { min: 0, max: RESET_MS_MAX / 1000 };
const TOO_MANY_COUNTERS = 429;

/** More than a key can have. */
const STATES_MAX = 64;
const LIMIT_ID = /^[a-z0-9][a-z0-9._-]{0,63}$/;

type LimitParts = {
  settings: { rateLimitTimeoutMs: number };
  transport: Transport;
  clock: Clock;
  log: Log;
};

export function createLimits({ settings, transport, clock, log }: LimitParts): Limits {
  let isFailing = false;
  let isOverQuota = false;
  let restsUntil = 0;

  const failed = (why: string): LimitVerdict => {
    if (!isFailing) log('warn', `keyrail: rate limits cannot be checked (${why})`);
    isFailing = true;
    restsUntil = clock.monotonicMs() + REST_MS;
    return { kind: 'unreachable' };
  };

  /** Only this check needs a new counter. Existing counters still work, so there is no back-off. */
  const overQuota = (): LimitVerdict => {
    if (!isOverQuota) log('warn', 'keyrail: rate limits of new keys cannot be checked (429)');
    isOverQuota = true;
    return { kind: 'unreachable' };
  };

  return {
    check: async (context, rules, cost) => {
      if (isFailing) {
        const now = clock.monotonicMs();
        if (now < restsUntil) return { kind: 'unreachable' };
        restsUntil = now + REST_MS;
      }
      const outcome = await transport.send({
        method: 'POST',
        path: '/v1/ratelimit/check',
        timeoutMs: settings.rateLimitTimeoutMs,
        bytesMax: ANSWER_BYTES_MAX,
        body: {
          project_id: context.projectId,
          env: context.env,
          key_id: context.keyId,
          tenant_id: context.tenantId,
          cost: costOf(cost),
          limits: rules.map(({ id, limit, windowMs, algorithm, scope }) => ({
            id,
            limit,
            window_ms: windowMs,
            algorithm,
            scope,
          })),
        },
      });
      if (outcome.kind === 'refused' && outcome.status === TOO_MANY_COUNTERS) return overQuota();
      if (outcome.kind === 'refused') return failed(`the control plane answered ${outcome.status}`);
      if (outcome.kind === 'unreachable') return failed(outcome.reason);
      const verdict = verdictIn(outcome.body);
      if (verdict === null) return failed('the control plane sent an invalid response');
      isFailing = false;
      return verdict;
    },
  };
}

const costOf = (cost: number): number =>
  Number.isFinite(cost) ? Math.min(RATE_LIMIT_COST_MAX, Math.max(0, Math.round(cost))) : 1;

/** Null when the response is invalid. */
function verdictIn(body: unknown): LimitVerdict | null {
  try {
    const result = readRecord(body, 'the response');
    const allowed = readBoolean(result.allowed, 'allowed');
    const states = readList(result.policies, 'policies', STATES_MAX).map(readState);
    const waitSeconds = clampedNumber(result.retry_after_seconds, WAIT_SECONDS);
    return { kind: 'counted', allowed, states, retryAfterSeconds: allowed ? null : waitSeconds };
  } catch {
    return null;
  }
}

function readState(policy: unknown): RateLimitState {
  const { id, limit, window_ms, remaining, reset_ms } = readRecord(policy, 'policies');
  return {
    id: readText(id, 'id', LIMIT_ID),
    limit: readInteger(limit, 'limit', RATE_LIMIT_MAX),
    windowMs: readInteger(window_ms, 'window_ms', RATE_LIMIT_WINDOW_MS_MAX),
    remaining: readInteger(remaining, 'remaining', RATE_LIMIT_MAX),
    resetMs: readInteger(reset_ms, 'reset_ms', RESET_MS_MAX),
  };
}

/**
 * `RateLimit` and `RateLimit-Policy` as in the IETF draft: lists of strings with parameters (quota
 * and window; remaining and reset). LIMIT_ID admits no id that needs escaping. A sliding counter
 * may be empty up to a sixteenth of its window later; the header never says more than the window.
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
