// Validates the body of a rate-limit check by hand, because this is the busiest endpoint. On null,
// the schema validates the body again and words the error. A test checks that both accept the same
// bodies.
// bench ratelimit: a body with two rules 6.1 µs (schema) → 1.1 µs; the whole request, in two paired
// runs, 199 and 206 µs → 195 and 189 µs; CPU time, medians on a busy machine, 2026-11
import type { BodyOf } from '@keyrail/protocol/endpoint.ts';
import type { ratelimitEndpoints } from '@keyrail/protocol/endpoints/ratelimit.ts';
import type { RateLimit } from '@keyrail/protocol/validators.ts';
import {
  RATE_LIMIT_COST_DEFAULT,
  RATE_LIMIT_COST_MAX,
  RATE_LIMIT_COST_MIN,
  RATE_LIMIT_MAX,
  RATE_LIMIT_MIN,
  RATE_LIMIT_RULES_MAX,
  RATE_LIMIT_WINDOW_MS_MAX,
  RATE_LIMIT_WINDOW_MS_MIN,
} from '@keyrail/protocol/wire/limits.ts';

import { UUID } from '@keyrail/protocol/wire/uuid.ts';

type CheckBody = BodyOf<(typeof ratelimitEndpoints)['POST /v1/ratelimit/check']>;

const RULE_ID = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const FIELDS = new Set(['project_id', 'env', 'key_id', 'tenant_id', 'cost', 'limits']);
const RULE_FIELDS = new Set(['id', 'limit', 'window_ms', 'algorithm', 'scope']);

export function acceptedBody(value: unknown): CheckBody | null {
  if (!isObjectOf(value, FIELDS)) return null;
  const { env, key_id = null, tenant_id = null, cost = RATE_LIMIT_COST_DEFAULT } = value;
  const projectId = idIn(value.project_id);
  const keyId = key_id === null ? null : idIn(key_id);
  const tenantId = tenant_id === null ? null : idIn(tenant_id);
  const limits = rulesIn(value.limits);
  if (projectId === null || limits === null) return null;
  if ((keyId === null) !== (key_id === null)) return null;
  if ((tenantId === null) !== (tenant_id === null)) return null;
  if (env !== 'live' && env !== 'test') return null;
  if (!isWhole(cost, RATE_LIMIT_COST_MIN, RATE_LIMIT_COST_MAX)) return null;
  return { project_id: projectId, env, key_id: keyId, tenant_id: tenantId, cost, limits };
}

function rulesIn(value: unknown): RateLimit[] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > RATE_LIMIT_RULES_MAX) {
    return null;
  }
  for (let at = 0; at < value.length; at += 1) {
    const rule: unknown = value[at];
    if (!isRule(rule)) return null;
    for (let other = 0; other < at; other += 1) if (value[other].id === rule.id) return null;
  }
  return value;
}

function isRule(value: unknown): value is RateLimit {
  if (!isObjectOf(value, RULE_FIELDS)) return false;
  const { id, limit, window_ms: windowMs, algorithm, scope } = value;
  return (
    typeof id === 'string' &&
    RULE_ID.test(id) &&
    isWhole(limit, RATE_LIMIT_MIN, RATE_LIMIT_MAX) &&
    isWhole(windowMs, RATE_LIMIT_WINDOW_MS_MIN, RATE_LIMIT_WINDOW_MS_MAX) &&
    (algorithm === 'sliding' || algorithm === 'fixed') &&
    (scope === 'key' || scope === 'tenant')
  );
}

/** Accepts upper case too and returns lower case. Nearly all ids are in lower case already. */
function idIn(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  if (UUID.test(value)) return value;
  const lower = value.toLowerCase();
  return UUID.test(lower) ? lower : null;
}

const isWhole = (value: unknown, min: number, max: number): value is number =>
  Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;

/** Whether the value is an object with no fields other than these. */
function isObjectOf(value: unknown, names: Set<string>): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  for (const name in value) if (!names.has(name)) return false;
  return true;
}
