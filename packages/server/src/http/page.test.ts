// List pages: their rows, the link to the next page, and their size limit.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { notedPageOf } from './page.ts';

type Row = { createdAt: Date; id: string; metaBytes: number };

const MEBIBYTE = 1_048_576;
const USUAL = MEBIBYTE / 4;
const MOST = MEBIBYTE;

/** Creates rows, newest first, with `meta` of the given lengths. */
const rowsOf = (...chars: number[]): Row[] =>
  chars.map((length, at) => ({
    createdAt: new Date(1_000_000 - at),
    id: String(at),
    metaBytes: length,
  }));

/** Cuts off a page as the database does: keeps the first row, and further rows that fit. */
const fitting = (rows: Row[], metaBytes: number): Row[] => {
  let used = 0;
  return rows.filter((row, at) => {
    used += row.metaBytes;
    return at === 0 || used <= metaBytes;
  });
};

/** Reads a whole list; returns the rows of each page, and the `meta` limit of each statement. */
async function readAll(rows: readonly Row[], limit: number) {
  const pages: string[][] = [];
  const asked: number[] = [];
  let after: Row | null = null;
  for (;;) {
    const from: Row | null = after;
    const page = await notedPageOf(limit, {
      workspaceId: 'a workspace',
      list: async ({ limit: most, metaBytes }) => {
        asked.push(metaBytes);
        const start = from === null ? 0 : Number(from.id) + 1;
        const found = rows.slice(start, start + most);
        return { rows: fitting(found, metaBytes), found: found.length };
      },
      present: ({ id }) => ({ id }),
    });
    const { data } = JSON.parse(page.body.text);
    pages.push(data.map(({ id }: Row) => id));
    if (!page.next) return { pages, asked };
    after = rows.find(({ id }) => id === page.next?.[1]) ?? null;
    ok(after && page.next[0] === after.createdAt.toISOString());
  }
}

const ids = (count: number) => Array.from({ length: count }, (_, at) => String(at));

test('a page of rows with small meta is read with one statement', async () => {
  const small = rowsOf(...Array(51).fill(0));
  deepEqual(await readAll(small.slice(0, 50), 50), { pages: [ids(50)], asked: [USUAL] });
  deepEqual((await readAll(small, 50)).pages, [ids(50), ['50']]);
  deepEqual((await readAll([], 50)).pages, [[]]);
  const many = rowsOf(...Array(1000).fill(20));
  deepEqual(await readAll(many, 1000), { pages: [ids(1000)], asked: [USUAL] });
});

test('a page of rows with large meta ends early, and no row is lost or repeated', async () => {
  const large = rowsOf(...Array(30).fill(MEBIBYTE / 8 - 100));
  const { pages, asked } = await readAll(large, 1000);
  deepEqual(pages.flat(), ids(30));
  deepEqual(asked.slice(0, 2), [USUAL, MOST]);
  deepEqual(
    pages.map((page) => page.length),
    [8, 8, 8, 6],
  );
  const mixed = rowsOf(...Array(200).fill(0), ...Array(20).fill(MEBIBYTE / 8 - 100), 0, 0);
  const told = await readAll(mixed, 1000);
  deepEqual(told.pages.flat(), ids(222));
  equal(told.pages[0]?.length, 208);
});

test('a page contains at least one row, even a very large one', async () => {
  const { pages } = await readAll(rowsOf(9 * MEBIBYTE, 9 * MEBIBYTE), 10);
  deepEqual(pages, [['0'], ['1']]);
});
