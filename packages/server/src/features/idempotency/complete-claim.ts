import { IDEMPOTENCY_STORED_BODY_BYTES_MAX } from '@keyrail/protocol/wire/limits.ts';
import { invalid } from '../../base/errors.ts';
import type { BoundSealing } from '../../base/sealing.ts';
import type { Read } from '../../doors/door.ts';
import { type HeldLock, updateStored } from './rows.ts';
import { sealResponse } from './stored-response.ts';

/** Up to this total length, headers are stored even if the workspace's storage is full. */
const FEW_HEADERS_CHARS_MAX = 4096;

type Response = {
  status: number;
  headers: Record<string, string>;
  /** In base64; null if the caller has already found the body too large to store. */
  body: string | null;
  ttlMs: number;
};

type StoringParts = {
  responseSealing: BoundSealing;
  /** The maximum total size of the stored responses in one workspace and environment. */
  bytesMax: number;
};

/**
 * Stores the response for later retries if the caller still holds the lock. Always stores the
 * status, but omits the body if it is too large or the workspace has no space left.
 */
export async function completeClaim(
  tx: Read,
  { held, response }: { held: HeldLock; response: Response },
  { responseSealing, bytesMax }: StoringParts,
): Promise<{ isHeld: boolean; isBodyStored: boolean }> {
  const { status, headers, ttlMs } = response;
  const decoded = response.body === null ? null : decode(response.body);
  const fits = decoded !== null && decoded.length <= IDEMPOTENCY_STORED_BODY_BYTES_MAX;
  const owner = { ...held, workspaceId: tx.reach.workspaceId };
  const few = JSON.stringify(headers).length <= FEW_HEADERS_CHARS_MAX ? headers : {};
  const whole = sealResponse(responseSealing, owner, { headers, body: fits ? decoded : null });
  const rest = sealResponse(responseSealing, owner, { headers: few, body: null });
  const stored = await updateStored(tx, held, { status, whole, rest, bytesMax, ttlMs });
  return { isHeld: stored !== null, isBodyStored: stored === 'whole' && fits };
}

/** Accepts only canonical base64, because a replay encodes the body in canonical form. */
function decode(body: string): Buffer {
  const decoded = Buffer.from(body, 'base64');
  if (decoded.toString('base64') !== body) {
    throw invalid('body', [{ path: 'body', message: 'must be base64 with padding' }]);
  }
  return decoded;
}
