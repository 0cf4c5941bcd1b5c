import { answerRoom } from '../../base/answer-room.ts';
import { type ChangeRow, VERSIONS_PER_DELTA_MAX } from './entries.ts';
import { type FeedFilter, isTold } from './filter.ts';
import type { FeedHead, FeedSource } from './rows.ts';
import { scopeChars } from './scope-chars.ts';

/** Bounds one statement: the embedded store does nothing else while it runs. */
const CHANGES_PER_STATEMENT = 1000;

/** Keys of tenants that the node does not ask for are read past, up to so many. */
const CHANGES_READ_MAX = 20_000;

export type DeltaAnswer = { head: FeedHead; changes: ChangeRow[]; generatedAt: Date };

export type DeltaVerdict =
  | { kind: 'same'; head: FeedHead }
  | ({ kind: 'delta' } & DeltaAnswer)
  /** Too far behind, ahead of us, or more than a page holds: start over. */
  | { kind: 'snapshot' };

/**
 * What a node that has a version lacks. `same` only when the project itself has not moved: a node
 * whose filter hides the change still learns the new version, or it would seem to lag for ever.
 */
export async function readDelta(
  feed: FeedSource,
  { filter, since, changesMax }: { filter: FeedFilter; since: number; changesMax: number },
): Promise<DeltaVerdict> {
  const head = await feed.loadHead(filter.projectId);
  if (since === head.version) return { kind: 'same', head };
  if (since < head.floor || since > head.version) return { kind: 'snapshot' };
  if (head.version - since > VERSIONS_PER_DELTA_MAX) return { kind: 'snapshot' };
  const changes = await listUpTo(feed, filter, { since, most: changesMax });
  if (changes === null) return { kind: 'snapshot' };
  return { kind: 'delta', head, changes, generatedAt: feed.now };
}

/** Null when there are more than asked for, or too many to read. */
async function listUpTo(
  feed: FeedSource,
  filter: FeedFilter,
  { since, most }: { since: number; most: number },
): Promise<ChangeRow[] | null> {
  const told: ChangeRow[] = [];
  const room = answerRoom();
  const readMax = Math.max(most, CHANGES_READ_MAX);
  let after: ChangeRow | null = null;
  for (let read = 0; read <= readMax; ) {
    const limit: number = Math.min(CHANGES_PER_STATEMENT, most + 1);
    const rows: ChangeRow[] = await feed.listChanges(filter, { since, after, limit });
    const wanted = rows.filter((row) => isTold(filter, row));
    told.push(...wanted);
    room.take(scopeChars(wanted));
    if (told.length > most || room.isFull()) return null;
    if (rows.length < limit) return told;
    after = rows.at(-1) ?? null;
    read += rows.length;
  }
  return null;
}
