import { IDEMPOTENCY_LOCK_MS } from '@keyrail/protocol/limits.ts';
import type { RandomBytes } from '../../base/random.ts';
import type { Read } from '../../doors/door.ts';
import { type ClaimRow, lockScope, type Scope } from './rows.ts';

const LOCK_TOKEN_BYTES = 24;

/** Of any number of simultaneous claims exactly one is told to execute, and holds the token. */
export async function claimScope(
  tx: Read,
  scope: Scope & { fingerprint: string; ttlMs: number },
  randomBytes: RandomBytes,
): Promise<{ row: ClaimRow; lockToken: string }> {
  const lockToken = Buffer.from(randomBytes(LOCK_TOKEN_BYTES)).toString('base64url');
  const row = await lockScope(tx, { ...scope, lockToken, lockMs: IDEMPOTENCY_LOCK_MS });
  return { row, lockToken };
}
