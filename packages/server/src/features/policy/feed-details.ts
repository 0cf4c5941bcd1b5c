// Adds the fields that a feed includes on request (`meta`, external IDs) to the entries of one
// response. These fields are read last, and only for entries that fit, because a single `meta` may
// be as long as a whole page.
import type { FeedFilter } from './feed-view.ts';
import type { EntryRow, FeedSource } from './rows.ts';

/** The maximum per statement: the embedded store blocks the event loop while a statement runs. */
const KEYS_PER_STATEMENT = 1000;

/** Returns the same entries in the same order. Without `include`, nothing is read. */
export async function withDetails<Row extends EntryRow>(
  feed: FeedSource,
  filter: FeedFilter,
  rows: Row[],
): Promise<Row[]> {
  if (filter.include.length === 0) return rows;
  const detailed: Row[] = [];
  for (let at = 0; at < rows.length; at += KEYS_PER_STATEMENT) {
    const some = rows.slice(at, at + KEYS_PER_STATEMENT);
    const ids = some.map(({ id }) => id);
    const details = new Map((await feed.listDetails(filter, ids)).map((one) => [one.id, one]));
    detailed.push(...some.map((row) => ({ ...row, ...details.get(row.id) })));
  }
  return detailed;
}
