import { ApiError } from '../../base/errors.ts';
import type { FeedFilter } from './filter.ts';
import type { EntryPosition, EntryRow, FeedHead, FeedSource } from './rows.ts';

/** Bounds one statement: the embedded store does nothing else while it runs. */
const ENTRIES_PER_STATEMENT = 1000;

export type SnapshotQuestion = {
  filter: FeedFilter;
  /** Null when the caller does not understand pages: then it is all or nothing. */
  pageKeysMax: number | null;
  keysMax: number;
  /** Where a further page starts, and the version of the first. */
  after: (EntryPosition & { version: number }) | null;
};

export type SnapshotAnswer = {
  head: FeedHead;
  entries: EntryRow[];
  generatedAt: Date;
  /** The last entry, when there are more. */
  next: EntryPosition | null;
};

/**
 * A page of every unrevoked key, expired ones included: nodes watch the clock themselves. All
 * pages bear the version of the first, and the delta since it brings whoever has read them to the
 * present, whatever happened in between.
 */
export async function readSnapshot(
  feed: FeedSource,
  { filter, pageKeysMax, keysMax, after }: SnapshotQuestion,
): Promise<SnapshotAnswer> {
  const head = await feed.loadHead(filter.projectId);
  const wanted = Math.min(pageKeysMax ?? keysMax, keysMax);
  const entries = head.isDeleted ? [] : await listUpTo(feed, filter, { after, most: wanted + 1 });
  if (entries.length > wanted && pageKeysMax === null) throw new ApiError('snapshot_too_large');
  const page = entries.slice(0, wanted);
  return {
    head: after ? { ...head, version: after.version } : head,
    entries: page,
    generatedAt: feed.now,
    next: entries.length > wanted ? (page.at(-1) ?? null) : null,
  };
}

async function listUpTo(
  feed: FeedSource,
  filter: FeedFilter,
  { after, most }: { after: EntryPosition | null; most: number },
): Promise<EntryRow[]> {
  const entries: EntryRow[] = [];
  let position = after;
  while (entries.length < most) {
    const limit = Math.min(ENTRIES_PER_STATEMENT, most - entries.length);
    const rows = await feed.listEntries(filter, { after: position, limit });
    entries.push(...rows);
    position = rows.at(-1) ?? position;
    if (rows.length < limit) break;
  }
  return entries;
}
