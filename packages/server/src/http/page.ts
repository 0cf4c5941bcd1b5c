// One page of a list, newest first: rows, and where the next page starts.
import { Reply } from './route.ts';

type Placed = { createdAt: Date; id: string };

/** The position behind a cursor, as newest-first lists use it. */
export function positionOf(after: readonly string[] | null): Placed | null {
  const [createdAt, id] = after ?? [];
  return createdAt && id ? { createdAt: new Date(createdAt), id } : null;
}

export const nextAfter = (last: Placed): string[] => [last.createdAt.toISOString(), last.id];

type Listing<Row, Item> = {
  list(limit: number): Promise<Row[]>;
  present(row: NoInfer<Row>): Item;
  next(last: NoInfer<Row>): readonly string[];
};

/**
 * Takes one row more than the page holds: whether it is there tells if there is a next page.
 */
export async function pageOf<Row, Item>(
  limit: number,
  { list, present, next }: Listing<Row, Item>,
): Promise<Reply<{ object: 'list'; data: Item[] }>> {
  const rows = await list(limit + 1);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const body = { object: 'list' as const, data: shown.map(present) };
  return new Reply(body, rows.length > limit && last ? { next: next(last) } : {});
}

/** What callers wrote, on one page: it bounds how long this process does nothing but tell it. */
const META_CHARS_MAX = 8_388_608;
/** Fetched before anything is known about their size. */
const FIRST_ROWS = 64;

type Noted = Placed & { meta: unknown };

type NotedListing<Row, Item> = {
  after: Placed | null;
  list(limit: number, after: Placed | null): Promise<Row[]>;
  present(row: NoInfer<Row>): Item;
};

/**
 * The same for rows that carry what callers wrote, a mebibyte each if they like. A page ends early
 * rather than grow without bound; its link tells, as always, whether there is more.
 */
export async function notedPageOf<Row extends Noted, Item>(
  limit: number,
  { after, list, present }: NotedListing<Row, Item>,
): Promise<Reply<{ object: 'list'; data: Item[] }>> {
  const rows: Row[] = [];
  let [chars, shown, isAll] = [0, 0, false];
  while (rows.length <= limit && chars <= META_CHARS_MAX && !isAll) {
    const step = Math.min(limit + 1 - rows.length, roomAfter(rows.length, chars));
    const got = await list(step, rows.at(-1) ?? after);
    isAll = got.length < step;
    for (const row of got) {
      rows.push(row);
      if (chars <= META_CHARS_MAX) chars += JSON.stringify(row.meta).length;
      if (rows.length <= limit && (chars <= META_CHARS_MAX || shown === 0)) shown += 1;
    }
  }
  const last = rows[shown - 1];
  const body = { object: 'list' as const, data: rows.slice(0, shown).map(present) };
  return new Reply(body, shown < rows.length && last ? { next: nextAfter(last) } : {});
}

/** How many more rows fit, going by those that are there. */
const roomAfter = (rows: number, chars: number): number =>
  rows === 0 ? FIRST_ROWS : Math.max(1, Math.floor((META_CHARS_MAX - chars) / (chars / rows)));
