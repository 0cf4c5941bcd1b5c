// Coordinates retried requests. Records are stored in the database and are not audited.
import { idempotencyEndpoints } from '@keyrail/protocol/endpoints/idempotency.ts';
import { IDEMPOTENCY_LOCK_MS } from '@keyrail/protocol/wire/limits.ts';
import type { RandomBytes } from '../../base/random.ts';
import type { BoundSealing } from '../../base/sealing.ts';
import type { Env } from '../../doors/reach.ts';
import { type ServedRoute, serve } from '../../http/route.ts';
import { claimScope } from './claim-scope.ts';
import { completeClaim } from './complete-claim.ts';
import { presentClaim, presentCompleted, presentOutcome } from './present.ts';
import { removeLock, updateLock } from './rows.ts';

export type IdempotencyParts = {
  randomBytes: RandomBytes;
  responseSealing: BoundSealing;
  idempotencyBytesMax: number;
};

export const idempotencyRoutes = (parts: IdempotencyParts): ServedRoute[] =>
  serve(idempotencyEndpoints, {
    'POST /v1/idempotency/claim': {
      boundary: 'rows',
      door: 'record',
      whenQuarantined: 'allow',
      hot: true,
      run: async ({ record, body }) => {
        const { env, scope_hash: scopeHash, fingerprint, ttl_ms: ttlMs } = body;
        const scope = { env, scopeHash, fingerprint, ttlMs };
        const { verdict, lockToken } = await claimScope(record.read, scope, parts);
        return presentClaim(verdict, lockToken);
      },
    },
    // Completing, releasing and extending a claim work even when the disk is full, because if they
    // failed, the request would run a second time later. Only new claims are rejected, because
    // nothing has run yet.
    'POST /v1/idempotency/complete': {
      boundary: 'rows',
      door: 'record',
      whenQuarantined: 'allow',
      hot: true,
      storage: 'reserve',
      run: async ({ record, body }) => {
        const { status, headers, ttl_ms: ttlMs } = body;
        const response = { status, headers, body: body.body, ttlMs };
        const done = { held: heldLockIn(body), response };
        const { responseSealing, idempotencyBytesMax } = parts;
        const bytesMax = record.storage() === 'ok' ? idempotencyBytesMax : 0;
        const storing = { responseSealing, bytesMax };
        return presentCompleted(await completeClaim(record.read, done, storing));
      },
    },
    'POST /v1/idempotency/release': {
      boundary: 'rows',
      door: 'record',
      whenQuarantined: 'allow',
      hot: true,
      storage: 'reserve',
      run: async ({ record, body }) =>
        presentOutcome(await removeLock(record.read, heldLockIn(body))),
    },
    'POST /v1/idempotency/heartbeat': {
      boundary: 'rows',
      door: 'record',
      whenQuarantined: 'allow',
      hot: true,
      storage: 'reserve',
      run: async ({ record, body }) =>
        presentOutcome(await updateLock(record.read, heldLockIn(body), IDEMPOTENCY_LOCK_MS)),
    },
  });

type LockBody = { env: Env; scope_hash: string; lock_token: string };

const heldLockIn = ({ env, scope_hash: scopeHash, lock_token: lockToken }: LockBody) => ({
  env,
  scopeHash,
  lockToken,
});
