// Verifies the chain of audit rows: computes each hash, and finds the first row that doesn't match.
// The worker and its tests share this code. docs/verify-audit-chain.mjs does the same outside a
// browser.
import {
  type ChainedFields,
  GENESIS_HASH,
  hashedText,
} from '@keyrail/protocol/wire/audit-chain.ts';

/** A row as the API returns it. */
type ChainRow = ChainedFields & { seq: number; prev_hash: string; hash: string };

export type Sha256 = (text: string) => Promise<string>;

/** The last row that was checked. */
export type Head = { seq: number; hash: string };

export type Break = { seq: number; reason: 'missing' | 'unlinked' | 'edited' | 'replaced' | 'cut' };

export const START: Head = { seq: 0, hash: GENESIS_HASH };

type Check = {
  rows: readonly ChainRow[];
  head: Head;
  workspaceId: string;
  sha256: Sha256;
  /** The last row this browser verified in an earlier check. */
  remembered: Head | null;
};

/** Checks the rows that follow `head`, and stops at the first row that doesn't match. */
export async function checkRows({
  rows,
  head,
  workspaceId,
  sha256,
  remembered,
}: Check): Promise<{ head: Head; broken: Break | null }> {
  const hashes = await Promise.all(rows.map((row) => sha256(hashedText(row, workspaceId))));
  let last = head;
  for (const [at, row] of rows.entries()) {
    const reason = faultOf(row, { last, hash: hashes[at] ?? '', remembered });
    if (reason) return { head: last, broken: { seq: last.seq + 1, reason } };
    last = { seq: row.seq, hash: row.hash };
  }
  return { head: last, broken: null };
}

type Expected = { last: Head; hash: string; remembered: Head | null };

function faultOf(row: ChainRow, { last, hash, remembered }: Expected): Break['reason'] | null {
  if (row.seq !== last.seq + 1) return 'missing';
  if (row.prev_hash !== last.hash) return 'unlinked';
  if (row.hash !== hash) return 'edited';
  if (remembered?.seq === row.seq && remembered.hash !== row.hash) return 'replaced';
  return null;
}

/** If the chain ends before a row that this browser has already seen, the log was cut off. */
export const cutOf = (head: Head, remembered: Head | null): Break | null =>
  remembered !== null && head.seq < remembered.seq ? { seq: head.seq + 1, reason: 'cut' } : null;

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
