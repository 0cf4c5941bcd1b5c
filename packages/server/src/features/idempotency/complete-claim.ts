import { IDEMPOTENCY_STORED_BODY_BYTES_MAX } from '@keyrail/protocol/limits.ts';
import { invalid } from '../../base/errors.ts';
import type { Read } from '../../doors/door.ts';
import { type Held, updateStored } from './rows.ts';

export type Response = {
  status: number;
  headers: Record<string, string>;
  /** In base64; null when the caller itself found it too large. */
  body: string | null;
  ttlMs: number;
};

/** Stores the answer for those who ask again, if the lock is still the caller's. */
export async function completeClaim(
  tx: Read,
  held: Held,
  { body, ...response }: Response,
): Promise<{ isHeld: boolean; isBodyStored: boolean }> {
  const decoded = body === null ? null : decode(body);
  const fits = decoded !== null && decoded.length <= IDEMPOTENCY_STORED_BODY_BYTES_MAX;
  const isHeld = await updateStored(tx, held, { ...response, body: fits ? decoded : null });
  return { isHeld, isBodyStored: isHeld && fits };
}

/** Two spellings of the same bytes would come back as one: only that one is taken. */
function decode(body: string): Buffer {
  const decoded = Buffer.from(body, 'base64');
  if (decoded.toString('base64') !== body) {
    throw invalid('body', [{ path: 'body', message: 'must be base64 with padding' }]);
  }
  return decoded;
}
