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
