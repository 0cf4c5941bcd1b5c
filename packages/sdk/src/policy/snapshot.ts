// Reads a snapshot page by page into a new table. The numbers of pages and keys are bounded and
// cursors may not repeat, so that a faulty server cannot keep it running forever.
import { InvalidContent } from '../json.ts';
import type { Proof, Proofs } from './proof/proof.ts';
import type { Proven, Source } from './source.ts';
import { PolicyTable } from './table/table.ts';
import type { SnapshotPage } from './wire.ts';

/** The maximum number of keys in a snapshot. A key takes about 95 bytes of memory. */
const KEYS_MAX = 10_000_000;
const PAGES_MAX = 50_000;

type Snapshot = { table: PolicyTable; projectDeleted: boolean; proofs: Proofs | undefined };

/** Yields to the event loop, so that the vendor's requests can run. */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Reads the pages after the first. Throws InvalidContent if they do not form one snapshot. */
export async function readSnapshot(source: Source, first: Proven<SnapshotPage>): Promise<Snapshot> {
  const { version, workspaceId } = first;
  const table = new PolicyTable();
  const cursors = new Set<string>();
  const proofs: Proof[] = [];
  let page = first;
  for (;;) {
    // Parsing the page blocked the event loop, so other work gets a turn first.
    await turn();
    const { size } = table;
    for (const entry of page.entries) table.set(entry);
    if (page.proof) proofs.push(page.proof);
    const { cursor } = page;
    if (table.size > KEYS_MAX)
      throw new InvalidContent(`a snapshot has more than ${KEYS_MAX} keys`);
    if (cursor === null) break;
    if (cursors.has(cursor)) throw new InvalidContent('a snapshot repeats a cursor');
    if (table.size === size) throw new InvalidContent('a page before the last has no new keys');
    if (cursors.size === PAGES_MAX)
      throw new InvalidContent(`a snapshot has more than ${PAGES_MAX} pages`);
    cursors.add(cursor);
    page = await source.page(cursor, workspaceId);
    if (page.version !== version)
      throw new InvalidContent('a page is from a different policy version');
  }
  for (const _ of table.settle()) await turn();
  const isProven = proofs.length > 0;
  return {
    table,
    projectDeleted: page.projectDeleted,
    proofs: isProven ? { snapshot: proofs, deltas: [] } : undefined,
  };
}
