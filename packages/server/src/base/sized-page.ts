// One page of rows with `meta`, cut where it would grow too large.
import type { JsonText } from './json-text.ts';

export type PageSize = { limit: number; metaBytes: number };

export type SizedPage<Row> = {
  /** The first in any case, and as many of the next as fit. */
  rows: Row[];
  /** How many there would be, up to the limit, if they all fitted. */
  found: number;
};

export type Listed<Fields> = Fields & { meta: JsonText };
