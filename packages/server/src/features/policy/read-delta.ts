import { answerRoom } from '../../base/answer-room.ts';
import type { FeedFilter } from './filter.ts';
import type { ChangeRow, FeedHead, FeedSource } from './rows.ts';
import { scopeChars } from './scope-chars.ts';

/** Bounds one statement: the embedded store does nothing else while it runs. */
const CHANGES_PER_STATEMENT = 1000;

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
  const { changes, isFull } = await listUpTo(feed, filter, { since, most: changesMax + 1 });
  if (isFull || changes.length > changesMax) return { kind: 'snapshot' };
  return { kind: 'delta', head, changes, generatedAt: feed.now };
}

async function listUpTo(
  feed: FeedSource,
  filter: FeedFilter,
  { since, most }: { since: number; most: number },
): Promise<{ changes: ChangeRow[]; isFull: boolean }> {
  const changes: ChangeRow[] = [];
  const room = answerRoom();
  while (changes.length < most && !room.isFull()) {
    const limit = Math.min(CHANGES_PER_STATEMENT, most - changes.length);
    const after = changes.at(-1) ?? null;
    const rows = await feed.listChanges(filter, { since, after, limit });
    changes.push(...rows);
    room.take(scopeChars(rows));
    if (rows.length < limit) break;
  }
  return { changes, isFull: room.isFull() };
}
