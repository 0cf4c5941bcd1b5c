// Lists the tables and columns that a backup reads, and checks that the backup can see all rows.
import type pg from 'pg';

export type TableShape = {
  name: string;
  /** Leaves out generated columns, because the database recomputes them. */
  columns: { name: string; type: string }[];
  /** The columns to sort by, so that rows are in the same order in every database. */
  order: string[];
  /** Whether any value is too large to be stored within its row. */
  hasLargeValues: boolean;
};

/**
 * Leaves out the table `migrations`: the manifest contains its rows, and a restore runs the
 * migrations.
 */
const SHAPES = `
  select c.relname::text as name,
    (select json_agg(json_build_object('name', a.attname, 'type',
       format_type(a.atttypid, a.atttypmod)) order by a.attnum)
     from pg_attribute a
     where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '')
     as columns,
    -- The order of strings depends on the database's collation unless one is specified.
    array(select quote_ident(a.attname) || case when a.attcollation = 0 then '' else ' collate "C"' end
      from pg_index i, unnest(i.indkey) with ordinality as part (attnum, at)
        join pg_attribute a on a.attnum = part.attnum
      where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid order by at) as "order",
    c.reltoastrelid <> 0 and pg_relation_size(c.reltoastrelid) > 0 as "hasLargeValues"
  from pg_class c
  where c.relnamespace = 'keyrail'::regnamespace and c.relkind = 'r' and c.relname <> 'migrations'
  order by c.relname collate "C"`;

export async function readTables(session: pg.ClientBase): Promise<TableShape[]> {
  const { rows } = await session.query<TableShape>(SHAPES);
  const unordered = rows.find(({ order }) => order.length === 0);
  if (unordered) throw new Error(`The table ${unordered.name} has no primary key to sort by.`);
  return rows;
}

const HIDDEN = `
  with policies as (
    select p.polrelid, p.polpermissive, pg_get_expr(p.polqual, p.polrelid) = 'true' as "isOpen"
    from pg_policy p
    where p.polcmd in ('r', '*') and exists (
      select from unnest(p.polroles) role
      where role = 0 or pg_has_role(current_user, role, 'usage')))
  select c.relname::text as name, case
    when c.relkind <> 'r' then 'is neither a table nor an index'
    when not has_table_privilege(c.oid, 'select') then 'cannot be read'
    when not row_security_active(c.oid) then null
    when not exists (select from policies p
                     where p.polrelid = c.oid and p.polpermissive and p."isOpen")
      then 'has no policy that shows all rows'
    when exists (select from policies p where p.polrelid = c.oid and not p.polpermissive)
      then 'has a restrictive policy'
    end as fault
  from pg_class c
  where c.relnamespace = 'keyrail'::regnamespace and c.relkind in ('r', 'p', 'S', 'm', 'f')
  order by c.relname`;

/** Row-level security hides rows without an error, so a backup without them would look complete. */
export async function refusePartial(session: pg.ClientBase): Promise<void> {
  const { rows } = await session.query<{ name: string; fault: string | null }>(HIDDEN);
  const faults = rows.flatMap(({ name, fault }) => (fault === null ? [] : [`${name} ${fault}`]));
  if (rows.length > 0 && faults.length === 0) return;
  throw new Error(
    `The backup would be incomplete: ${faults.join('; ') || 'there are no tables'}. Each table ` +
      'needs a backup grant and a backup policy. See the procedure back_up in the migrations.',
  );
}
