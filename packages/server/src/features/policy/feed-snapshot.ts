// Reads one page of a snapshot through a FeedSource, so that simulations can run in memory.

import { ApiError } from '../../base/errors.ts';
import { createResponseBudget } from '../../http/response-budget.ts';
import { withDetails } from './feed-details.ts';
import { type EntryPosition, entryChars, type FeedFilter } from './feed-view.ts';
import type { EntryRow, FeedHead, FeedSource } from './rows.ts';

/**
 * Limits the work per statement, because the embedded store blocks the event loop while a statement
 * runs.
 */
const ENTRIES_PER_STATEMENT = 1000;

/** The maximum number of keys read for one page, including those that the node doesn't support. */
const KEYS_READ_MAX = 20_000;

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
  /** The position after which the next page starts; null on the last page. */
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
  const { entries, isFull, stoppedAt } = head.isDeleted
    ? { entries: [], isFull: false, stoppedAt: null }
    : await listUpTo(feed, filter, { after, most: wanted + 1 });
  // If a page reaches the size limit, its last entry is moved to the next page, which is therefore
  // never empty.
  const fitting = isFull ? entries.length - 1 : wanted;
  const page = entries.slice(0, fitting);
  const next = entries.length > fitting ? (page.at(-1) ?? null) : stoppedAt;
  if (next && pageKeysMax === null) throw new ApiError('snapshot_too_large');
  return {
    head: after ? { ...head, version: after.version } : head,
    entries: await withDetails(feed, filter, page),
    generatedAt: feed.now,
    next,
  };
}

type Listed = {
  entries: EntryRow[];
  isFull: boolean;
  /**
   * Set if reading stopped before the page was full, because too many keys had to be skipped: the
   * position of the last key read.
   */
  stoppedAt: EntryPosition | null;
};

async function listUpTo(
  feed: FeedSource,
  filter: FeedFilter,
  { after, most }: { after: EntryPosition | null; most: number },
): Promise<Listed> {
  const entries: EntryRow[] = [];
  const budget = createResponseBudget();
  const readMax = Math.max(most, KEYS_READ_MAX);
  let position = after;
  let read = 0;
  while (entries.length < most && !budget.isFull()) {
    if (read >= readMax) return { entries, isFull: false, stoppedAt: position };
    const isSparse = read > entries.length;
    const limit = isSparse
      ? ENTRIES_PER_STATEMENT
      : Math.min(ENTRIES_PER_STATEMENT, most - entries.length);
    const rows = await feed.listEntries(filter, { after: position, limit });
    for (const row of rows) {
      if (row.isUnsupported) continue;
      entries.push(row);
      budget.take(entryChars(row));
      if (entries.length === most || budget.isFull()) break;
    }
    position = rows.at(-1) ?? position;
    read += rows.length;
    if (rows.length < limit) break;
  }
  return { entries, isFull: budget.isFull(), stoppedAt: null };
}
