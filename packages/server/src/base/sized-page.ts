// One page of rows with `meta`, cut off before their total `meta` becomes too large.
import type { JsonText } from './json-text.ts';

export type PageSize = { limit: number; metaBytes: number };

export type SizedPage<Row> = {
  /** Always includes the first row, then as many rows as fit. */
  rows: Row[];
  /** The number of rows found, up to the limit, including those that do not fit. */
  found: number;
  /** Where the search stopped, if there may be more rows after that. */
  end?: { createdAt: Date; id: string } | null;
};

export type Listed<Fields> = Fields & { meta: JsonText };
