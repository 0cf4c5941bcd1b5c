// Builds one page of a list, newest first: its rows, and where the next page starts.

import { limited } from '../base/coalesce.ts';
import { ApiError } from '../base/errors.ts';
import { JsonText, textOfObject } from '../base/json-text.ts';
import type { PageSize, SizedPage } from '../base/sized-page.ts';
import { Reply } from './route.ts';

type Placed = { createdAt: Date; id: string };

/** Converts a newest-first list's cursor to a position. */
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

/** Reads one row more than the page contains, to find out whether there is a next page. */
export async function pageOf<Row, Item>(
  limit: number,
  { list, ...telling }: Listing<Row, Item>,
): Promise<Page<Item>> {
  return pageWith(await list(limit + 1), limit, telling);
}

/** Contains the first `most` rows. If there are more rows, there is a next page. */
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

/** Pages with more `meta` than this need a slot in `bigLists`. */
const USUAL_META_BYTES_MAX = 262_144;
/** The maximum size of a single row's `meta`. A row that large is the only one on its page. */
const META_BYTES_MAX = 1_048_576;
const BIG_LISTS_AT_ONCE = 2;
const BIG_LISTS_WAITING_MAX = 16;

/**
 * Limits how many large pages each workspace builds at a time, because building one blocks the
 * event loop.
 */
const bigLists = limited({
  atOnceMax: BIG_LISTS_AT_ONCE,
  waitingMax: BIG_LISTS_WAITING_MAX,
  refuse: () => new ApiError('rate_limited', undefined, { headers: { 'retry-after': '1' } }),
});

type NotedListing<Row, Item> = {
  workspaceId: string;
  list(size: PageSize): Promise<SizedPage<Row>>;
  present(row: NoInfer<Row>): Item;
};

/**
 * Like `pageOf`, for rows with `meta` of up to 1 MiB each. A page ends early instead of growing
 * without limit; its link shows whether there are more rows. The first query allows only a small
 * amount of `meta`; a larger page needs one of the few slots in `bigLists`.
 */
export async function notedPageOf<Row extends Placed, Item extends object>(
  limit: number,
  { workspaceId, list, present }: NotedListing<Row, Item>,
): Promise<Reply<JsonText>> {
  const pageWithin = async (metaBytes: number) => {
    const { rows, found, end = null } = await list({ limit: limit + 1, metaBytes });
    const shown = rows.slice(0, limit);
    const isWhole = shown.length === Math.min(found, limit);
    return { isWhole, reply: () => textPage(shown, { found, end }, present) };
  };
  const usual = await pageWithin(USUAL_META_BYTES_MAX);
  if (usual.isWhole) return usual.reply();
  return bigLists(workspaceId, async () => (await pageWithin(META_BYTES_MAX)).reply());
}

function textPage<Row extends Placed>(
  shown: readonly Row[],
  { found, end }: { found: number; end: Placed | null },
  present: (row: Row) => object,
): Reply<JsonText> {
  const last = found > shown.length ? shown.at(-1) : end;
  const items = shown.map((row) => textOfObject(present(row)));
  const body = new JsonText(`{"object":"list","data":[${items.join(',')}]}`);
  return new Reply(body, last ? { next: nextAfter(last) } : {});
}
