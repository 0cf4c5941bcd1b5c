// Results of idempotency calls. All are 200 responses, because a denial is a result, not an error.
import { z } from 'zod';
import { Count } from './wire.ts';

const StoredResponse = z
  .strictObject({
    status: z.int().min(100).max(599),
    headers: z.record(z.string(), z.string()),
    // Null if the body was too large to store; `body_stored` is then false.
    body: z.string().nullable(),
    body_stored: z.boolean(),
  })
  .meta({ id: 'StoredResponse' });

const ClaimState = z.enum(['execute', 'replay', 'in_progress', 'mismatch']);

export const IdempotencyClaim = z
  .strictObject({
    object: z.literal('idempotency_claim'),
    state: ClaimState,
    lock_token: z.string().nullable(),
    lock_ms: Count,
    stolen: z.boolean(),
    retry_after_ms: Count.nullable(),
    response: StoredResponse.nullable(),
    max_body_bytes: Count,
  })
  .meta({ id: 'IdempotencyClaim' });
export type IdempotencyClaim = z.output<typeof IdempotencyClaim>;

/** `lost` means that the caller no longer holds the lock. */
export const IdempotencyRecord = z
  .strictObject({
    object: z.literal('idempotency_record'),
    outcome: z.enum(['ok', 'lost']),
  })
  .meta({ id: 'IdempotencyRecord' });
export type IdempotencyRecord = z.output<typeof IdempotencyRecord>;

export const CompletedIdempotencyRecord = IdempotencyRecord.extend({
  body_stored: z.boolean(),
}).meta({ id: 'CompletedIdempotencyRecord' });
export type CompletedIdempotencyRecord = z.output<typeof CompletedIdempotencyRecord>;
