// Reads one page of a snapshot through a FeedSource, so that simulations can run in memory.

import { ApiError } from '../../base/errors.ts';
import { createResponseBudget } from '../../http/response-budget.ts';
import { withDetails } from './feed-details.ts';
import { type EntryPosition, entryChars, type FeedFilter } from './feed-view.ts';
import type { EntryRow, FeedHead, FeedSource } from './rows.ts';

/** Limits a statement's work: the embedded store blocks the event loop while a statement runs. */
const ENTRIES_PER_STATEMENT = 1000;

export type SnapshotQuestion = {
  filter: FeedFilter;
  /**
   * Null if the caller doesn't support paging; a snapshot of more than `keysMax` keys is then
   * rejected.
   */
  pageKeysMax: number | null;
  keysMax: number;
  /**
   * Null for the first page; otherwise the previous page's last entry and the first page's version.
   */
  after: (EntryPosition & { version: number }) | null;
};

export type SnapshotAnswer = {
  head: FeedHead;
  entries: EntryRow[];
  generatedAt: Date;
  /** The position of the last entry; null on the last page. */
  next: EntryPosition | null;
};

/**
 * Reads a page of the keys that are neither revoked nor disabled. Expired keys are included,
 * because nodes check the expiry themselves. Every page has the first page's version, so the next
 * delta covers all changes made while the node was reading the pages.
 */
export async function readSnapshot(
  feed: FeedSource,
  { filter, pageKeysMax, keysMax, after }: SnapshotQuestion,
): Promise<SnapshotAnswer> {
  const head = await feed.loadHead(filter.projectId);
  const wanted = Math.min(pageKeysMax ?? keysMax, keysMax);
  const { entries, isFull } = head.isDeleted
    ? { entries: [], isFull: false }
    : await listUpTo(feed, filter, { after, most: wanted + 1 });
  // If a page reaches the size limit, its last entry is moved to the next page, which is therefore
  // never empty.
  const fitting = isFull ? entries.length - 1 : wanted;
  const hasMore = entries.length > fitting;
  if (hasMore && pageKeysMax === null) throw new ApiError('snapshot_too_large');
  const page = entries.slice(0, fitting);
  return {
    head: after ? { ...head, version: after.version } : head,
    entries: await withDetails(feed, filter, page),
    generatedAt: feed.now,
    next: hasMore ? (page.at(-1) ?? null) : null,
  };
}

async function listUpTo(
  feed: FeedSource,
  filter: FeedFilter,
  { after, most }: { after: EntryPosition | null; most: number },
): Promise<{ entries: EntryRow[]; isFull: boolean }> {
  const entries: EntryRow[] = [];
  const budget = createResponseBudget();
  let position = after;
  while (entries.length < most && !budget.isFull()) {
    const limit = Math.min(ENTRIES_PER_STATEMENT, most - entries.length);
    const rows = await feed.listEntries(filter, { after: position, limit });
    for (const row of rows) {
      entries.push(row);
      budget.take(entryChars(row));
      if (budget.isFull()) break;
    }
    position = rows.at(-1) ?? position;
    if (rows.length < limit) break;
  }
  return { entries, isFull: budget.isFull() };
}
