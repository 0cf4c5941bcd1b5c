// Adds the optional fields (`meta`, external IDs) to a response's entries. They are read last, and
// only for the entries that fit on the page, because a single `meta` may be as large as a whole
// page.
import type { FeedFilter } from './feed-view.ts';
import type { EntryRow, FeedSource } from './rows.ts';

/**
 * Limits the work per statement, because the embedded store blocks the event loop while a statement
 * runs.
 */
const KEYS_PER_STATEMENT = 1000;

/**
 * Returns the entries in their original order. Reads nothing if no optional fields are included.
 */
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
