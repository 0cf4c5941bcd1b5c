import { GENESIS_HASH } from '@keyrail/protocol/wire/audit-chain.ts';
import { type AnchoredRow, type ChainFault, createChainCheck } from './chain-check.ts';
import type { AuditRow, ChainSource } from './rows.ts';

// Hashing a page blocks the event loop, so requests use small pages.
const PAGE_ROWS = 200;

export type ChainVerdict = {
  checked: number;
  headSeq: number;
  headHash: string;
  brokenSeq: number | null;
  reason: string | null;
};

type Options = {
  pageRows?: number;
  /**
   * The anchors to compare the chain with, sorted by `seq`. They must be read before the chain is.
   */
  anchored?: readonly AnchoredRow[];
};

/**
 * Recomputes every hash, page by page, up to the head as it was at the start. Rows appended in the
 * meantime aren't checked. Reports the first faulty position.
 */
export async function verifyChain(
  source: ChainSource,
  { pageRows = PAGE_ROWS, anchored = [] }: Options = {},
): Promise<ChainVerdict> {
  const head = (await source.head()) ?? { seq: 0, hash: GENESIS_HASH };
  const check = createChainCheck(anchored);
  const fault = await firstFault();
  return {
    checked: check.checked,
    headSeq: head.seq,
    headHash: head.hash,
    brokenSeq: fault?.seq ?? null,
    reason: fault?.reason ?? null,
  };

  async function firstFault(): Promise<ChainFault | null> {
    for await (const page of pagesOf(source, head.seq, pageRows)) {
      for (const row of page) {
        const found = check.take(row);
        if (found) return found;
      }
    }
    if (check.checked < head.seq) return { seq: check.checked + 1, reason: 'An entry is missing.' };
    if (check.hash !== head.hash) {
      return { seq: head.seq, reason: 'The newest entry does not match the recorded latest hash.' };
    }
    const stray = await findStray(source, head.seq);
    if (stray)
      return { seq: stray.seq, reason: 'There is an entry after the recorded end of the chain.' };
    return check.end();
  }
}

/**
 * Reads the chain's pages in order. The next page is read while the caller hashes the current one.
 */
async function* pagesOf(
  source: ChainSource,
  headSeq: number,
  pageRows: number,
): AsyncGenerator<AuditRow[]> {
  const pageAfter = (afterSeq: number): Promise<AuditRow[]> => {
    const page = source.page({ afterSeq, limit: Math.min(pageRows, headSeq - afterSeq) });
    page.catch(() => {}); // reported when the page is awaited, unless an earlier one fails
    return page;
  };
  let next = headSeq > 0 ? pageAfter(0) : null;
  for (let afterSeq = pageRows; next !== null; afterSeq += pageRows) {
    const page = await next;
    next = afterSeq < headSeq ? pageAfter(afterSeq) : null;
    yield page;
  }
}

/**
 * Finds a row after the end of the chain. A row is committed together with the chain's new head, so
 * if a row was appended in the meantime, the head is read again and covers it.
 */
async function findStray(source: ChainSource, headSeq: number): Promise<AuditRow | null> {
  const [beyond] = await source.page({ afterSeq: headSeq, limit: 1 });
  if (!beyond) return null;
  const head = await source.head();
  return head && head.seq >= beyond.seq ? null : beyond;
}
