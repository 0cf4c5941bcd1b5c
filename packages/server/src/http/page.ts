// One page of a list, newest first: rows, and where the next page starts.
import { answerRoom } from '../base/answer-room.ts';
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

type Page<Item> = Reply<{ object: 'list'; data: Item[] }>;

/**
 * Takes one row more than the page holds: whether it is there tells if there is a next page.
 */
export async function pageOf<Row, Item>(
  limit: number,
  { list, ...telling }: Listing<Row, Item>,
): Promise<Page<Item>> {
  return pageWith(await list(limit + 1), limit, telling);
}

/** The first so many rows; what is left over is on the next page. */
function pageWith<Row, Item>(
  rows: readonly Row[],
  most: number,
  { present, next }: Pick<Listing<Row, Item>, 'present' | 'next'>,
): Page<Item> {
  const shown = rows.slice(0, most);
  const last = shown.at(-1);
  const body = { object: 'list' as const, data: shown.map(present) };
  return new Reply(body, rows.length > shown.length && last ? { next: next(last) } : {});
}

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
): Promise<Page<Item>> {
  const rows: Row[] = [];
  const room = answerRoom();
  let [shown, isAll] = [0, false];
  while (rows.length <= limit && !room.isFull() && !isAll) {
    const fitting = rows.length === 0 ? FIRST_ROWS : room.rowsLike(rows.length);
    const step = Math.min(limit + 1 - rows.length, fitting);
    const got = await list(step, rows.at(-1) ?? after);
    isAll = got.length < step;
    for (const row of got) {
      rows.push(row);
      if (!room.isFull()) room.take(JSON.stringify(row.meta).length);
      if (rows.length <= limit && (!room.isFull() || shown === 0)) shown += 1;
    }
  }
  return pageWith(rows, shown, { present, next: nextAfter });
}
