// Requests to the shared counters: checks, leases and returns. After a failure, only one request
// per interval is sent, to check whether the counters work again.
import {
  RATE_LIMIT_COST_MAX,
  RATE_LIMIT_LEASE_ID_CHARS_MAX,
  RATE_LIMIT_LEASE_MAX,
  RATE_LIMIT_MAX,
  RATE_LIMIT_WINDOW_MS_MAX,
} from '@keyrail/protocol/wire/limits.ts';
import { RATE_LIMIT_ID } from '@keyrail/protocol/wire/rate-limit-id.ts';
import type { Env, RateLimitRule, RateLimitState } from '../api/context.ts';
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
import type { Outcome, Transport } from '../transport.ts';

export type LimitVerdict =
  | {
      kind: 'counted';
      allowed: boolean;
      states: readonly RateLimitState[];
      /** When to retry; null if the request was allowed or if waiting would not help. */
      retryAfterSeconds: number | null;
    }
  | { kind: 'unreachable' };

/** The key whose counters are charged. */
export type Subject = {
  readonly projectId: string;
  readonly env: Env;
  readonly keyId: string | null;
  readonly tenantId: string | null;
};

export type Grant = {
  id: string;
  units: number;
  /** How long the lease lasts, measured from when it was requested. */
  expiresInMs: number;
  states: readonly RateLimitState[];
};

export type CounterCalls = {
  /** Charges all rules or none. Never throws; waits at most `rateLimitTimeoutMs`. */
  check(subject: Subject, rules: readonly RateLimitRule[], cost: number): Promise<LimitVerdict>;
  /** Requests a lease; null if none was granted. Never throws. */
  lease(subject: Subject, rules: readonly RateLimitRule[], want: number): Promise<Grant | null>;
  /**
   * Returns the unused units of a lease. Never throws; if the request fails, the units are lost.
   */
  giveBack(subject: Subject, rules: readonly RateLimitRule[], rest: Rest): Promise<void>;
  /** Whether a lease may be requested now. */
  canLease(): boolean;
};

type Rest = { id: string; unused: number };

const REST_MS = 1_000;
/**
 * If the control plane does not support leases, the node tries again after this time, in case the
 * control plane has been upgraded.
 */
const WITHOUT_LEASES_MS = 60_000;
const ANSWER_BYTES_MAX = 64 * 1024;
/** A sliding window can take up to two window lengths to regain its full quota. */
const RESET_MS_MAX = 2 * RATE_LIMIT_WINDOW_MS_MAX;
const WAIT_SECONDS = { min: 0, max: RESET_MS_MAX / 1000 };
const NOT_FOUND = 404;
const TOO_MANY_COUNTERS = 429;

/** The maximum number of counters in a response, which is more than a key can have. */
const STATES_MAX = 64;
const LEASE_ID = new RegExp(`^[\\x21-\\x7e]{1,${RATE_LIMIT_LEASE_ID_CHARS_MAX}}$`);

export type CallParts = {
  settings: { rateLimitTimeoutMs: number };
  transport: Transport;
  clock: Clock;
  log: Log;
};

export function createCounterCalls({ settings, transport, clock, log }: CallParts): CounterCalls {
  let isFailing = false;
  let isOverQuota = false;
  let restsUntil = 0;
  let leasesFrom = Number.NEGATIVE_INFINITY;

  function failed(why: string): void {
    if (!isFailing) log('warn', `keyrail: failed to check rate limits (${why})`);
    isFailing = true;
    restsUntil = clock.monotonicMs() + REST_MS;
  }

  /**
   * Logs that the workspace has no counters left for new keys. Existing counters still work, so
   * there is no back-off.
   */
  function overQuota(): void {
    if (!isOverQuota) {
      const left = 'the workspace has no counters left for new keys';
      log('warn', `keyrail: ${left}; their rate limits cannot be checked (429)`);
    }
    isOverQuota = true;
  }

  function withoutLeases(): void {
    const isFirst = leasesFrom === Number.NEGATIVE_INFINITY;
    if (isFirst) {
      const without = 'the control plane does not support leases';
      log('warn', `keyrail: ${without}; checking limits per request instead`);
    }
    leasesFrom = clock.monotonicMs() + WITHOUT_LEASES_MS;
  }

  /** Reads a response. If it is invalid or there is none, records the failure and returns null. */
  function heard<T>(outcome: Outcome, read: (body: unknown) => T | null): T | null {
    if (outcome.kind === 'answer') {
      const value = read(outcome.body);
      if (value === null) failed('the control plane sent an invalid response');
      else isFailing = false;
      return value;
    }
    if (outcome.kind === 'unreachable') failed(outcome.reason);
    else if (outcome.status === TOO_MANY_COUNTERS) overQuota();
    else failed(`the control plane responded with ${outcome.status}`);
    return null;
  }

  const send = (path: string, body: object): Promise<Outcome> =>
    transport.send({
      method: 'POST',
      path,
      timeoutMs: settings.rateLimitTimeoutMs,
      bytesMax: ANSWER_BYTES_MAX,
      body,
    });

  return {
    check: async (subject, rules, cost) => {
      if (isFailing) {
        const now = clock.monotonicMs();
        if (now < restsUntil) return UNREACHABLE;
        restsUntil = now + REST_MS;
      }
      const body = { ...bodyOf(subject, rules), cost: costOf(cost) };
      return heard(await send('/v1/ratelimit/check', body), verdictIn) ?? UNREACHABLE;
    },
    lease: async (subject, rules, want) => {
      const outcome = await send('/v1/ratelimit/lease', { ...bodyOf(subject, rules), want });
      const isUnknown = outcome.kind === 'refused' && outcome.status === NOT_FOUND;
      if (isUnknown) withoutLeases();
      return isUnknown ? null : heard(outcome, grantIn);
    },
    giveBack: async (subject, rules, { id, unused }) => {
      await send('/v1/ratelimit/return', { ...bodyOf(subject, rules), lease_id: id, unused });
    },
    canLease: () => !isFailing && clock.monotonicMs() >= leasesFrom,
  };
}

const UNREACHABLE: LimitVerdict = Object.freeze({ kind: 'unreachable' });

const bodyOf = (subject: Subject, rules: readonly RateLimitRule[]): object => ({
  project_id: subject.projectId,
  env: subject.env,
  key_id: subject.keyId,
  tenant_id: subject.tenantId,
  limits: rules.map(({ id, limit, windowMs, algorithm, scope }) => ({
    id,
    limit,
    window_ms: windowMs,
    algorithm,
    scope,
  })),
});

export const costOf = (cost: number): number =>
  Number.isFinite(cost) ? Math.min(RATE_LIMIT_COST_MAX, Math.max(0, Math.round(cost))) : 1;

/** Reads the response to a check; null if it is invalid. */
function verdictIn(body: unknown): LimitVerdict | null {
  try {
    const result = readRecord(body, 'the response');
    const allowed = readBoolean(result.allowed, 'allowed');
    const waitSeconds = clampedNumber(result.retry_after_seconds, WAIT_SECONDS);
    return {
      kind: 'counted',
      allowed,
      states: statesIn(result.policies),
      retryAfterSeconds: allowed ? null : waitSeconds,
    };
  } catch {
    return null;
  }
}

/** Reads the response to a lease request; null if it is invalid. */
function grantIn(body: unknown): Grant | null {
  try {
    const lease = readRecord(body, 'the response');
    return {
      id: readText(lease.lease_id, 'lease_id', LEASE_ID),
      units: readInteger(lease.granted, 'granted', RATE_LIMIT_LEASE_MAX),
      expiresInMs: readInteger(lease.expires_in_ms, 'expires_in_ms', RATE_LIMIT_WINDOW_MS_MAX),
      states: statesIn(lease.policies),
    };
  } catch {
    return null;
  }
}

const statesIn = (policies: unknown): RateLimitState[] =>
  readList(policies, 'policies', STATES_MAX).map(readState);

function readState(policy: unknown): RateLimitState {
  const { id, limit, window_ms, remaining, reset_ms } = readRecord(policy, 'policies');
  return {
    id: readText(id, 'id', RATE_LIMIT_ID),
    limit: readInteger(limit, 'limit', RATE_LIMIT_MAX),
    windowMs: readInteger(window_ms, 'window_ms', RATE_LIMIT_WINDOW_MS_MAX),
    remaining: readInteger(remaining, 'remaining', RATE_LIMIT_MAX),
    resetMs: readInteger(reset_ms, 'reset_ms', RESET_MS_MAX),
  };
}
