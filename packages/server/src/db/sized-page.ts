// Pages of rows with `meta`, cut where they would grow too large. How long each `meta` is stands in
// the row, so that nothing is read that is not sent.
import { type RawBuilder, sql } from 'kysely';
import { JsonText } from '../base/json-text.ts';
import { many, type Runner } from './sql.ts';

export type PageSize = { limit: number; metaBytes: number };

export type SizedPage<Row> = {
  /** The first in any case, and as many of the next as fit. */
  rows: Row[];
  /** How many there would be, up to the limit, if they all fitted. */
  found: number;
};

type Sent<Fields> = Fields & { metaText: string; found: number };

export type Listed<Fields> = Fields & { meta: JsonText };

/** `listed` selects whole rows, at most as many as the limit; `columns` are those to be sent. */
export async function sizedPage<Fields extends object>(
  runner: Runner,
  { listed, columns }: { listed: RawBuilder<unknown>; columns: RawBuilder<unknown> },
  metaBytes: number,
): Promise<SizedPage<Listed<Fields>>> {
  const sent = await many(
    runner,
    sql<Sent<Fields>>`
      select ${columns}, page.meta::text as meta_text, page.found from (
        select listed.*, count(*) over ()::int as found, row_number() over newest as place,
          sum(listed.meta_bytes) over newest as bytes_so_far
        from (${listed}) listed
        window newest as (order by listed.created_at desc, listed.id desc)
      ) page
      where page.place = 1 or page.bytes_so_far <= ${metaBytes}
      order by page.created_at desc, page.id desc`,
  );
  const rows = sent.map((row) => ({ ...row, meta: new JsonText(row.metaText) }));
  return { rows, found: sent[0]?.found ?? 0 };
}
