// The columns of projects that a search reads.
import { sql } from '../../base/sql.ts';
import type { Searchable } from '../../base/text-match.ts';

export const searchableProjects: Searchable = {
  name: 'projects',
  living: sql`deleted_at is null`,
  indexed: [
    { field: sql`name_key`, order: sql`name_key, created_at desc` },
    { field: sql`slug_key`, order: sql`slug_key` },
  ],
};
