// Lifts the guards of the tables while a restore writes rows that were guarded when they were first
// written. The owner does this inside the restore's transaction, so no other session sees it.
import type pg from 'pg';

type Guards = {
  /** `alter table` statements that put back what was lifted. */
  back: string[];
};

/** Statements to lift a guard, and to put it back. */
const LIFTING = `
  select format('alter table %s no force row level security', c.oid::regclass) as lift,
    format('alter table %s force row level security', c.oid::regclass) as back, 2 as step
    from pg_class c where c.relnamespace = 'keyrail'::regnamespace and c.relforcerowsecurity
  union all
  select distinct format('alter table %s disable trigger user', t.tgrelid::regclass),
    format('alter table %s enable trigger user', t.tgrelid::regclass), 2
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'keyrail'::regnamespace and not t.tgisinternal
  union all
  select format('alter table %s drop constraint %I', f.conrelid::regclass, f.conname),
    format('alter table %s add constraint %I %s', f.conrelid::regclass, f.conname,
      pg_get_constraintdef(f.oid)), 1
    from pg_constraint f
    where f.connamespace = 'keyrail'::regnamespace and f.contype = 'f' and $1
  order by step`;

export async function liftGuards(
  admin: pg.ClientBase,
  { foreignKeys }: { foreignKeys: boolean },
): Promise<Guards> {
  const { rows } = await admin.query<{ lift: string; back: string }>(LIFTING, [foreignKeys]);
  for (const { lift } of rows) await admin.query(lift);
  return { back: rows.map(({ back }) => back) };
}

/** Foreign keys come first: adding one checks every row, which forced row level security hides. */
export async function putBackGuards(admin: pg.ClientBase, { back }: Guards): Promise<void> {
  for (const statement of back) await admin.query(statement);
}
