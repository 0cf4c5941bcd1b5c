// Reports whether searches use trigram indexes or examine only the newest rows.
import { SEARCH_EXAMINED_MAX } from '@keyrail/protocol/wire/limits.ts';
import { trigramIndexes } from '../db/trigram-search.ts';
import { fine, type Outcome } from './finding.ts';
import type { Inspection } from './inspection.ts';

const LOOK = `
  select to_regprocedure('keyrail.trigram_matches(text, text)') is not null
    and (select count(*) from pg_index i join pg_class c on c.oid = i.indexrelid
         where c.relnamespace = 'keyrail'::regnamespace and c.relname = any ($1::text[])
           and i.indisvalid) = cardinality($1::text[]) as "isIndexed"`;

export async function checkSearch(inspection: Inspection): Promise<Outcome[]> {
  const [row] = await inspection.query<{ isIndexed: boolean }>(LOOK, [trigramIndexes]);
  if (row?.isIndexed) return [fine('Searches use trigram indexes.')];
  const newest = `the newest ${SEARCH_EXAMINED_MAX} keys, tenants and projects`;
  const how =
    inspection.kind === 'postgres'
      ? ' To search all of them, create the extension pg_trgm as a superuser. A worker then builds the indexes within an hour.'
      : '';
  return [fine(`Searches look for parts of words in ${newest}.${how}`)];
}
