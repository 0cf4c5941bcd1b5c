// Runs statements and returns typed rows. Also contains statement parts that several features
// share. Fields are camelCase in TypeScript, and columns are snake_case in the database.
import { JsonText } from '../base/json-text.ts';
import type { Listed, SizedPage } from '../base/sized-page.ts';
import { named, type Sql, sql, textOf } from '../base/sql.ts';
import type { Answer, Statement } from './database.ts';

/**
 * Passes a list without telling the planner its length. Otherwise, PostgreSQL would plan the
 * statement again on every execution, and looking up one secret key would take 0.79 ms instead of
 * 0.47.
 */
export const listOf = (type: 'bytea' | 'text', values: readonly (string | Buffer | null)[]): Sql =>
  sql`(select ${values}::${named(type)}[])::${named(type)}[]`;

/** Runs statements, either in one transaction or each in its own. */
export type Runner = { run(statement: Statement): Promise<Answer> };

type Query<Row> = Sql<Row> | Statement;

const statementOf = (query: Query<unknown>): Statement =>
  'text' in query ? query : { text: textOf(query), values: query.values };

export async function many<Row>(runner: Runner, query: Query<Row>): Promise<Row[]> {
  const { rows } = await runner.run(statementOf(query));
  return rows as Row[]; // the query defines the row type, and the driver can't check it
}

/** The first row, or null. */
export async function maybe<Row>(runner: Runner, query: Query<Row>): Promise<Row | null> {
  const { rows } = await runner.run(statementOf(query));
  return (rows[0] as Row | undefined) ?? null;
}

/** For statements that always return a row, such as `insert … returning`. */
export async function one<Row>(runner: Runner, query: Query<Row>): Promise<Row> {
  const row = await maybe(runner, query);
  if (row === null) throw new Error('bug: a statement returned no row');
  return row;
}

/** The rows with these IDs that meet a condition, each looked up by its primary key. */
export const byIds = (table: string, ids: readonly string[], condition: Sql): Sql => sql`(
  select found.* from unnest(${[...new Set(ids)]}::uuid[]) as wanted (id)
  cross join lateral (
    select * from ${named(table)} where id = wanted.id and ${condition} limit 1
  ) found) named`;

type Sent<Fields> = Fields & { metaText: string; found: number };

/**
 * Cuts off a page before its `meta` becomes too large. Each row stores the size of its `meta`, so
 * only the `meta` that is sent is read. `listed` selects complete rows, up to the limit; `columns`
 * are the columns to return.
 */
export async function sizedPage<Fields extends object>(
  runner: Runner,
  { listed, columns }: { listed: Sql; columns: Sql },
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
