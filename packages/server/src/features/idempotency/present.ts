// Turns verdicts into idempotency API objects. Every verdict is a successful response, even `lost`.

import type {
  CompletedIdempotencyRecord,
  IdempotencyClaim,
  IdempotencyRecord,
} from '@keyrail/protocol/objects/idempotency.ts';
import {
  IDEMPOTENCY_LOCK_MS,
  IDEMPOTENCY_STORED_BODY_BYTES_MAX,
} from '@keyrail/protocol/wire/limits.ts';
import type { Verdict } from './claim-scope.ts';

const nothing = { lock_token: null, stolen: false, retry_after_ms: null, response: null };

export const presentClaim = (row: Verdict, lockToken: string): IdempotencyClaim => ({
  object: 'idempotency_claim',
  state: row.state,
  lock_ms: IDEMPOTENCY_LOCK_MS,
  max_body_bytes: IDEMPOTENCY_STORED_BODY_BYTES_MAX,
  ...nothing,
  ...(row.state === 'execute' && { lock_token: lockToken, stolen: row.stolen }),
  ...(row.state === 'in_progress' && { retry_after_ms: row.retryAfterMs }),
  ...(row.state === 'replay' && {
    response: {
      status: row.status,
      headers: row.headers,
      body: row.body?.toString('base64') ?? null,
      body_stored: row.body !== null,
    },
  }),
});

export const presentOutcome = (isHeld: boolean): IdempotencyRecord => ({
  object: 'idempotency_record',
  outcome: isHeld ? 'ok' : 'lost',
});

export const presentCompleted = (done: {
  isHeld: boolean;
  isBodyStored: boolean;
}): CompletedIdempotencyRecord => ({
  ...presentOutcome(done.isHeld),
  body_stored: done.isBodyStored,
});
