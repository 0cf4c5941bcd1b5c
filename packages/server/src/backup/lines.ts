// Reads and writes a table's rows as lines of text: one JSON array per row, containing each column
// as text. Both stores produce the same text for the same value, so digests from both can be
// compared.
import type pg from 'pg';
import type { TableShape } from './catalogue.ts';

/** The maximum number of rows per page, in a table whose rows are all under 8 KiB. */
const PAGE_ROWS = 1000;
const LARGE_PAGE_ROWS = 40;

/**
 * Settings that give every value exactly one text form, and make query plans read rows in index
 * order.
 */
const SETTINGS: Record<string, string> = {
  search_path: 'keyrail',
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  enable_sort: 'off',
  enable_seqscan: 'off',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  transaction_timeout: '0',
};

/**
 * Applies the settings above until the transaction ends, skipping those that an older PostgreSQL
 * version lacks.
 */
export async function fixTextForms(session: pg.ClientBase): Promise<void> {
  await session.query(
    `select set_config(name, value, true) from json_each_text($1) as wanted (name, value)
     where current_setting(name, true) is not null`,
    [JSON.stringify(SETTINGS)],
  );
}

/** Lines of text, each including its line feed. */
export type Page = { rows: number; text: Buffer };

/** Reads a table page by page, within the caller's transaction. */
export async function* pagesOf(session: pg.ClientBase, table: TableShape): AsyncGenerator<Page> {
  const columns = table.columns.map(({ name }) => `${quoted(name)}::text`);
  const rows = table.hasLargeValues ? LARGE_PAGE_ROWS : PAGE_ROWS;
  await session.query(
    `declare backup_rows no scroll cursor for select json_build_array(${columns.join(', ')})::text
     from ${quoted(table.name)} order by ${table.order.join(', ')}`,
  );
  for (;;) {
    const page = await session.query<[string]>({
      text: `fetch ${rows} from backup_rows`,
      rowMode: 'array',
    });
    if (page.rows.length === 0) break;
    const text = Buffer.from(`${page.rows.map(([line]) => line).join('\n')}\n`);
    yield { rows: page.rows.length, text };
    if (page.rows.length < rows) break;
  }
  await session.query('close backup_rows');
}

/** Adds a page of lines to a table whose user triggers and foreign keys are disabled. */
export async function insertLines(
  session: pg.ClientBase,
  { name, columns }: Pick<TableShape, 'name' | 'columns'>,
  lines: readonly string[],
): Promise<void> {
  const values = columns.map(({ type }, at) => `(line ->> ${at})::${type}`);
  await session.query(
    `insert into ${quoted(name)} (${columns.map((column) => quoted(column.name)).join(', ')})
     select ${values.join(', ')} from jsonb_array_elements($1::jsonb) line`,
    [`[${lines.join(',')}]`],
  );
}

/** Table and column names are plain words; anything else is rejected. */
export function quoted(name: string): string {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new Error(`"${name}" is not a table or column name`);
  return `"${name}"`;
}
