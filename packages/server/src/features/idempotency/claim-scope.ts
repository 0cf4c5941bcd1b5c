import { IDEMPOTENCY_LOCK_MS } from '@keyrail/protocol/wire/limits.ts';
import type { RandomBytes } from '../../base/random.ts';
import type { BoundSealing } from '../../base/sealing.ts';
import type { Read } from '../../doors/door.ts';
import { type ClaimRow, lockScope, type Scope } from './rows.ts';
import { openResponse, type StoredResponse } from './stored-response.ts';

const LOCK_TOKEN_BYTES = 24;

export type Verdict =
  | Exclude<ClaimRow, { state: 'replay' }>
  | ({ state: 'replay'; status: number } & StoredResponse);

type ClaimParts = { randomBytes: RandomBytes; responseSealing: BoundSealing };

/**
 * Claims a scope. If several requests claim a free scope concurrently, only one gets `execute` and
 * a valid lock token.
 */
export async function claimScope(
  tx: Read,
  scope: Scope & { fingerprint: string; ttlMs: number },
  { randomBytes, responseSealing }: ClaimParts,
): Promise<{ verdict: Verdict; lockToken: string }> {
  const lockToken = Buffer.from(randomBytes(LOCK_TOKEN_BYTES)).toString('base64url');
  const row = await lockScope(tx, { ...scope, lockToken, lockMs: IDEMPOTENCY_LOCK_MS });
  if (row.state !== 'replay' || row.sealed === null) return { verdict: row, lockToken };
  const owner = { ...scope, workspaceId: tx.reach.workspaceId };
  const response = openResponse(responseSealing, owner, row.sealed);
  return { verdict: { state: row.state, status: row.status, ...response }, lockToken };
}
