// The columns of tenants that a search reads.
import { sql } from '../../base/sql.ts';
import type { Searchable } from '../../base/text-match.ts';

export const searchableTenants: Searchable = {
  name: 'tenants',
  living: sql`deleted_at is null`,
  indexed: [
    { field: sql`name_key`, order: sql`name_key, created_at desc` },
    { field: sql`external_id_key`, order: sql`external_id_key` },
  ],
};
