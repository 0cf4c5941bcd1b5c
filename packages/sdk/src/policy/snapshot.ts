// A snapshot, put together page by page into a table of its own. Whatever the pages say, reading
// them comes to an end: their number, their keys and their cursors are bounded.
import type { Source } from './source.ts';
import { PolicyTable } from './table.ts';
import { FeedFault, type SnapshotPage } from './wire.ts';

/** About 110 bytes of memory each. */
const KEYS_MAX = 10_000_000;
const PAGES_MAX = 50_000;

export type Snapshot = { table: PolicyTable; projectDeleted: boolean };

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Reads the pages after the first. Throws a FeedFault when they are not those of one snapshot. */
export async function readSnapshot(source: Source, first: SnapshotPage): Promise<Snapshot> {
  const { version, workspaceId } = first;
  const table = new PolicyTable();
  const cursors = new Set<string>();
  let page = first;
  for (;;) {
    // Reading it took a while; the vendor's requests come in between.
    await turn();
    const { size } = table;
    for (const entry of page.entries) table.set(entry);
    const { cursor } = page;
    if (table.size > KEYS_MAX) throw new FeedFault(`a snapshot has more than ${KEYS_MAX} keys`);
    if (cursor === null) break;
    if (cursors.has(cursor)) throw new FeedFault('a snapshot leads back to one of its pages');
    if (table.size === size) throw new FeedFault('a page in the middle brings no new key');
    if (cursors.size === PAGES_MAX) throw new FeedFault(`a snapshot has over ${PAGES_MAX} pages`);
    cursors.add(cursor);
    page = await source.page(cursor, workspaceId);
    if (page.version !== version) throw new FeedFault('a page is of another version');
  }
  for (const _ of table.settle()) await turn();
  return { table, projectDeleted: page.projectDeleted };
}
