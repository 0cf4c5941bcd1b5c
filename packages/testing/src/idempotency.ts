// Claims for idempotent requests, which are identified by hashes, as in the SDK.
import { equal } from 'node:assert/strict';
import { newScope } from '../../../tests/laws/hot-fixtures.ts';
import type { Harness } from './harness.ts';

export const claim = 'POST /v1/idempotency/claim';
export const complete = 'POST /v1/idempotency/complete';
export const release = 'POST /v1/idempotency/release';
export const heartbeat = 'POST /v1/idempotency/heartbeat';

export const LOCK_MS = 30_000;
/** The shortest lifetime that a claim can have. */
export const TTL_MS = 60_000;

export const aRequest = (ttl_ms = TTL_MS) => ({
  scope_hash: newScope(),
  fingerprint: newScope(),
  env: 'live',
  ttl_ms,
});

export const lockOf = (
  { scope_hash, env }: ReturnType<typeof aRequest>,
  lock_token: string | null,
) => ({ scope_hash, env, lock_token });

/** Claims a request and returns it with its lock token. */
export async function executing({ as }: Harness, ttlMs = TTL_MS) {
  const request = aRequest(ttlMs);
  const { state, lock_token } = await as.liveKey(claim, request);
  equal(state, 'execute');
  return { request, lock: lockOf(request, lock_token) };
}
