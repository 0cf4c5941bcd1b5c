// Claims a request that has an `Idempotency-Key`, on routes with idempotency.

import { lookupHash } from '@keyrail/protocol/wire/key-format.ts';
import { IDEMPOTENCY_TTL_MS_MAX, IDEMPOTENCY_TTL_MS_MIN } from '@keyrail/protocol/wire/limits.ts';
import type { IncomingCall } from '../api/admission.ts';
import type { RequestContext, UnverifiedContext } from '../api/context.ts';
import type { RouteIdempotency, RouteOptions } from '../api/route.ts';
import { fingerprintOf, idempotencyKeyFault, scopeHashOf } from '../idempotency/fingerprint.ts';
import type { ClaimVerdict, Idempotency, RunLock } from '../idempotency/idempotency.ts';
import type { ReplayedResponse } from '../idempotency/stored-response.ts';
import { IDEMPOTENT_BODY_BYTES_MAX, isTooLarge } from './body.ts';
import { type RefusalCode, type RefusalDetails, type Refused, refuse } from './refusal.ts';

type Claimed = { lock: RunLock | null } | { replayed: ReplayedResponse } | Refused;

const RETRY_SECONDS_MAX = 5;

/** Whether the request has to be claimed, or lacks a required idempotency key. */
export function wantsClaim(call: IncomingCall, route: RouteOptions): boolean {
  const wanted = idempotencyOf(route);
  return wanted !== null && (wanted.required === true || hasKey(call));
}

const hasKey = (call: IncomingCall): boolean => (call.header('idempotency-key') ?? null) !== null;

type ClaimedCall = {
  call: IncomingCall;
  routeName: string | null;
  context: RequestContext | UnverifiedContext;
  route: RouteOptions;
  keyText: string;
};

/** Makes sure that the request runs only once, or returns the response to send instead. */
export async function claimCall(
  idempotency: Idempotency,
  { call, routeName, context, route, keyText }: ClaimedCall,
): Promise<Claimed> {
  const wanted = idempotencyOf(route);
  if (wanted === null || !wantsClaim(call, route)) return { lock: null };
  const idempotencyKey = call.header('idempotency-key') ?? null;
  if (idempotencyKey === null) return invalid('The Idempotency-Key header is required.');
  const fault = idempotencyKeyFault(idempotencyKey);
  if (fault !== null) return invalid(fault);
  const body = await bodyOf(call);
  if ('refused' in body) return body;

  const { method, path, query = '' } = call;
  const { env, tenantId, projectId } = context;
  const holder = context.keyId ?? `unverified:${lookupHash(keyText)}`;
  const scope = { projectId, env, tenantId, holder, method, route: routeName ?? path };
  const verdict = await idempotency.claim({
    scopeHash: scopeHashOf({ ...scope, idempotencyKey }),
    fingerprint: fingerprintOf({ method, path, query, body }),
    env,
    ttlMs: ttlOf(wanted),
  });
  return claimedBy(verdict, wanted.onUnavailable ?? 'deny');
}

function claimedBy(verdict: ClaimVerdict, onUnavailable: 'allow' | 'deny'): Claimed {
  switch (verdict.kind) {
    case 'execute':
      return { lock: verdict.lock };
    case 'replay':
      return { replayed: verdict.response };
    case 'in_progress':
      return refusedWith('idempotency_in_progress', { retryAfterSeconds: waitOf(verdict) });
    case 'mismatch':
      return refusedWith('idempotency_mismatch');
    case 'unavailable':
      return onUnavailable === 'allow' ? { lock: null } : refusedWith('unavailable');
  }
}

/**
 * Returns how many seconds the caller should wait. `retryAfterMs` is the time until the lock
 * expires, but most handlers finish long before that, so the wait is capped.
 */
const waitOf = ({ retryAfterMs }: { retryAfterMs: number }): number =>
  Math.min(RETRY_SECONDS_MAX, retryAfterMs / 1000);

const refusedWith = (code: RefusalCode, details?: RefusalDetails): Refused => ({
  refused: refuse(code, details),
  reason: code,
});

const invalid = (message: string): Refused => refusedWith('invalid_request', { message });

function idempotencyOf({ idempotency }: RouteOptions): RouteIdempotency | null {
  if (!idempotency) return null;
  return idempotency === true ? {} : idempotency;
}

/**
 * Returns the time to live, rounded and clamped, because the control plane would reject a claim
 * with any other value.
 */
function ttlOf({ ttlMs }: RouteIdempotency): number | null {
  if (ttlMs === undefined || Number.isNaN(ttlMs)) return null;
  return Math.round(Math.min(IDEMPOTENCY_TTL_MS_MAX, Math.max(IDEMPOTENCY_TTL_MS_MIN, ttlMs)));
}

async function bodyOf(call: IncomingCall): Promise<Uint8Array | Refused> {
  try {
    return (await call.bodyBytes?.()) ?? new Uint8Array(0);
  } catch (error) {
    if (!isTooLarge(error)) return invalid('The request body was cut off.');
    const most = IDEMPOTENT_BODY_BYTES_MAX;
    const message = `The body of an idempotent request must not exceed ${most} bytes.`;
    return refusedWith('payload_too_large', { message });
  }
}
