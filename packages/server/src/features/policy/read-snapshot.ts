import { answerRoom } from '../../base/answer-room.ts';
import { ApiError } from '../../base/errors.ts';
import type { FeedFilter } from './filter.ts';
import type { EntryPosition, EntryRow, FeedHead, FeedSource } from './rows.ts';
import { scopeChars } from './scope-chars.ts';

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
  const { entries, isFull } = head.isDeleted
    ? { entries: [], isFull: false }
    : await listUpTo(feed, filter, { after, most: wanted + 1 });
  // A full page leaves one over, so that there is always something on the next.
  const fitting = isFull ? entries.length - 1 : wanted;
  const hasMore = entries.length > fitting;
  if (hasMore && pageKeysMax === null) throw new ApiError('snapshot_too_large');
  const page = entries.slice(0, fitting);
  return {
    head: after ? { ...head, version: after.version } : head,
    entries: page,
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
  const room = answerRoom();
  let position = after;
  while (entries.length < most && !room.isFull()) {
    const limit = Math.min(ENTRIES_PER_STATEMENT, most - entries.length);
    const rows = await feed.listEntries(filter, { after: position, limit });
    entries.push(...rows);
    room.take(scopeChars(rows));
    position = rows.at(-1) ?? position;
    if (rows.length < limit) break;
  }
  return { entries, isFull: room.isFull() };
}
