import { GENESIS_HASH, rowHash } from '../../doors/audit-chain.ts';
import type { Read } from '../../doors/door.ts';
import { type AuditRow, findHead, listChainedRows } from './rows.ts';

// Hashing one page blocks the event loop, so pages are small.
const PAGE_ROWS = 200;

export type ChainVerdict = {
  checked: number;
  headSeq: number;
  headHash: string;
  brokenSeq: number | null;
  reason: string | null;
};

/**
 * Derives every hash again, page by page, up to the head as read at the start. Rows appended
 * meanwhile are not checked. Reports the first position with a fault.
 */
export async function verifyChain(tx: Read): Promise<ChainVerdict> {
  const head = (await findHead(tx)) ?? { seq: 0, hash: GENESIS_HASH };
  const verdict = { headSeq: head.seq, headHash: head.hash, brokenSeq: null, reason: null };
  let prevHash = GENESIS_HASH;
  let checked = 0;
  while (checked < head.seq) {
    const limit = Math.min(PAGE_ROWS, head.seq - checked);
    const rows = await listChainedRows(tx, { afterSeq: checked, limit });
    for (const row of rows) {
      const reason = faultIn(row, checked + 1, prevHash);
      if (reason) return { ...verdict, checked, brokenSeq: checked + 1, reason };
      checked += 1;
      prevHash = row.hash;
    }
    if (rows.length < limit) {
      return { ...verdict, checked, brokenSeq: checked + 1, reason: 'A row is missing.' };
    }
  }
  if (prevHash !== head.hash) {
    const reason = 'The newest row does not match the head.';
    return { ...verdict, checked, brokenSeq: head.seq, reason };
  }
  const stray = await findStray(tx, head.seq);
  if (stray) {
    const reason = 'There is a row after the head.';
    return { ...verdict, checked, brokenSeq: stray.seq, reason };
  }
  return { ...verdict, checked };
}

/**
 * Finds a row after the head. A row and its head are committed together, so a row appended
 * meanwhile is covered by the head read afterwards.
 */
async function findStray(tx: Read, headSeq: number): Promise<AuditRow | null> {
  const [beyond] = await listChainedRows(tx, { afterSeq: headSeq, limit: 1 });
  if (!beyond) return null;
  const head = await findHead(tx);
  return head && head.seq >= beyond.seq ? null : beyond;
}

function faultIn(row: AuditRow, seq: number, prevHash: string): string | null {
  if (row.seq !== seq) return 'A row is missing.';
  if (row.prevHash !== prevHash) return 'The row does not link to the one before it.';
  if (rowHash(row) !== row.hash) return 'The row does not match its hash.';
  // The column is not hashed, but it decides which principals see the row.
  if (row.env !== envIn(row.payload))
    return 'The environment of the row does not match its payload.';
  return null;
}

function envIn(payload: string): unknown {
  try {
    const { env = null } = JSON.parse(payload);
    return env;
  } catch {
    return undefined; // not JSON, though its hash matches: no environment is equal to this
  }
}
