// Reads the changes for one poll through a FeedSource, so that simulations can run in memory.
import { createResponseBudget } from '../../http/response-budget.ts';
import { withDetails } from './feed-details.ts';
import { entryChars, type FeedFilter, isInFeed, VERSIONS_PER_DELTA_MAX } from './feed-view.ts';
import type { ChangeRow, FeedHead, FeedSource } from './rows.ts';

/**
 * Limits the work per statement, because the embedded store blocks the event loop while a statement
 * runs.
 */
const CHANGES_PER_STATEMENT = 1000;

/**
 * The maximum number of changes read for one delta, including those that the tenant filter then
 * excludes.
 */
const CHANGES_READ_MAX = 20_000;

export type DeltaAnswer = { head: FeedHead; changes: ChangeRow[]; generatedAt: Date };

type DeltaVerdict =
  | { kind: 'same' }
  | ({ kind: 'delta' } & DeltaAnswer)
  /**
   * The response must be a snapshot, because the node is too far behind, is ahead of the server, or
   * needs more changes than fit on a page.
   */
  | { kind: 'snapshot' };

/**
 * Reads the changes since a node's version; the result is `same` if the project's version hasn't
 * changed. A node whose filter excludes every change still gets the new version; otherwise it would
 * never appear up to date.
 */
export async function readDelta(
  feed: FeedSource,
  { filter, since, changesMax }: { filter: FeedFilter; since: number; changesMax: number },
): Promise<DeltaVerdict> {
  const head = await feed.loadHead(filter.projectId);
  if (since === head.version) return { kind: 'same' };
  if (since < head.floor || since > head.version) return { kind: 'snapshot' };
  if (head.version - since > VERSIONS_PER_DELTA_MAX) return { kind: 'snapshot' };
  const changes = await listUpTo(feed, filter, { since, most: changesMax });
  if (changes === null) return { kind: 'snapshot' };
  const detailed = await withDetails(feed, filter, changes);
  return { kind: 'delta', head, changes: detailed, generatedAt: feed.now };
}

/**
 * Returns null if there are more than `most` changes, if they are too large for one response, or if
 * too many would have to be read to find them.
 */
async function listUpTo(
  feed: FeedSource,
  filter: FeedFilter,
  { since, most }: { since: number; most: number },
): Promise<ChangeRow[] | null> {
  const listed: ChangeRow[] = [];
  const budget = createResponseBudget();
  const readMax = Math.max(most, CHANGES_READ_MAX);
  let after: ChangeRow | null = null;
  for (let read = 0; read <= readMax; ) {
    const limit: number = Math.min(CHANGES_PER_STATEMENT, most + 1);
    const rows: ChangeRow[] = await feed.listChanges(filter, { since, after, limit });
    const wanted = rows.filter((row) => isInFeed(filter, row));
    listed.push(...wanted);
    for (const row of wanted) budget.take(entryChars(row));
    if (listed.length > most || budget.isFull()) return null;
    if (rows.length < limit) return listed;
    after = rows.at(-1) ?? null;
    read += rows.length;
  }
  return null;
}
