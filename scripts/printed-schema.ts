// The schema that the migrations produce, as one file: types, tables with everything that belongs
// to them, and functions. It is read from the catalogue of the embedded store, whose version is
// pinned, so the same migrations always give the same text. Run directly, it writes the file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { openEmbeddedCopy } from '@keyrail/testing/database-copies.ts';

export const SCHEMA_PATH = join(import.meta.dirname, '../packages/server/src/db/schema.sql');

const HEADER = `-- The current schema, written by scripts/printed-schema.ts. The comments are in the migrations.
-- Role names lack the oid of their database. Not shown, because all tables have them: the
-- privileges of the owner and of backups, and the policy "backup".`;

export async function printedSchema(): Promise<string> {
  const lite = await openEmbeddedCopy();
  try {
    await lite.exec('set search_path = keyrail');
    const parts = [
      HEADER,
      await typesOf(lite),
      ...(await tablesOf(lite)),
      ...(await functionsOf(lite)),
    ];
    return `${parts.join('\n\n').replaceAll('keyrail.', '').replaceAll(OID, '$1')}\n`;
  } finally {
    await lite.close();
  }
}

/** A role name that ends in the database's OID. */
const OID = /\b(kr_[a-z]+)_\d+\b/g;

const linesOf = async (lite: PGlite, text: string, values: unknown[] = []): Promise<string[]> =>
  (await lite.query<{ line: string }>(text, values)).rows.map(({ line }) => line);

async function typesOf(lite: PGlite): Promise<string> {
  const lines = await linesOf(
    lite,
    `
    select format('create type %I as enum (%s);', typname,
      string_agg(quote_literal(enumlabel), ', ' order by enumsortorder)) as line
    from pg_type join pg_enum on enumtypid = pg_type.oid
    where typnamespace = 'keyrail'::regnamespace group by typname order by typname`,
  );
  return lines.join('\n');
}

async function tablesOf(lite: PGlite): Promise<string[]> {
  const names = await linesOf(
    lite,
    `
    select relname::text as line from pg_class
    where relnamespace = 'keyrail'::regnamespace and relkind = 'r' order by relname collate "C"`,
  );
  return Promise.all(names.map((name) => tableText(lite, name)));
}

async function tableText(lite: PGlite, name: string): Promise<string> {
  const inside = [
    ...(await linesOf(lite, COLUMNS, [name])),
    ...(await linesOf(lite, CONSTRAINTS, [name])),
  ];
  const [ending = ''] = await linesOf(lite, OPTIONS, [name]);
  const after: string[] = [];
  for (const text of [INDEXES, POLICIES, TRIGGERS, GRANTS]) {
    after.push(...(await linesOf(lite, text, [name])));
  }
  return [`create table ${name} (`, inside.join(',\n'), `)${ending};`, ...after].join('\n');
}

const COLUMNS = `
  select concat('  ', quote_ident(attname), ' ', format_type(atttypid, atttypmod),
    case when attcollation <> typcollation then format(' collate %I', collname) end,
    case when attgenerated = 's'
      then format(' generated always as (%s) stored', pg_get_expr(adbin, adrelid, true))
      else ' default ' || pg_get_expr(adbin, adrelid, true) end,
    case when attnotnull then ' not null' end) as line
  from pg_attribute a
    join pg_type t on t.oid = atttypid
    left join pg_collation c on c.oid = attcollation
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`;

const CONSTRAINTS = `
  select format('  constraint %I %s', conname, pg_get_constraintdef(oid, true)) as line
  from pg_constraint where conrelid = $1::regclass and contype in ('p', 'u', 'f', 'c', 'x')
  order by array_position('{p,u,f,c,x}', contype::text), conname collate "C"`;

const OPTIONS = `
  select coalesce(format(' with (%s)', array_to_string(reloptions, ', ')), '') as line
  from pg_class where oid = $1::regclass and reloptions is not null`;

/** Indexes that implement a constraint are printed with their table. */
const INDEXES = `
  select pg_get_indexdef(indexrelid, 0, true) || ';' as line
  from pg_index join pg_class c on c.oid = indexrelid
  where indrelid = $1::regclass
    and not exists (select from pg_constraint where conindid = indexrelid and contype <> 'f')
  order by relname collate "C"`;

const POLICIES = `
  select format('alter table %I enable row level security, force row level security;', relname)
    as line from pg_class where oid = $1::regclass and relrowsecurity and relforcerowsecurity
  union all (
    select concat(format('create policy %I on %s', polname, polrelid::regclass),
      case when not polpermissive then ' as restrictive' end,
      case polcmd when 'r' then ' for select' when 'a' then ' for insert'
        when 'w' then ' for update' when 'd' then ' for delete' end,
      ' to ' || (select string_agg(case when role = 0 then 'public' else role::regrole::text end,
        ', ' order by role::regrole::text) from unnest(polroles) role),
      ' using (' || pg_get_expr(polqual, polrelid, true) || ')',
      ' with check (' || pg_get_expr(polwithcheck, polrelid, true) || ')', ';')
    from pg_policy where polrelid = $1::regclass and polname <> 'backup'
    order by polname collate "C")`;

const TRIGGERS = `
  select pg_get_triggerdef(oid, true) || ';' as line
  from pg_trigger where tgrelid = $1::regclass and not tgisinternal order by tgname collate "C"`;

/** Leaves out the owner's privileges and those for backups, which are the same for all tables. */
const GRANTS = `
  select format('grant %s on %s to %s;', string_agg(may, ', ' order by may), $1, grantee) as line
  from (
    select entry.grantee::regrole::text as grantee, lower(privilege_type) as may
      from pg_class, aclexplode(relacl) entry where oid = $1::regclass and entry.grantee <> relowner
    union all
    select entry.grantee::regrole::text, format('%s (%s)', lower(privilege_type),
        string_agg(quote_ident(attname), ', ' order by attnum))
      from pg_attribute, aclexplode(attacl) entry where attrelid = $1::regclass group by 1, privilege_type
  ) held
  where grantee not like 'kr_backup%' group by grantee order by grantee collate "C"`;

async function functionsOf(lite: PGlite): Promise<string[]> {
  return linesOf(
    lite,
    `
    select concat(trim(trailing e'\\n' from pg_get_functiondef(p.oid)), ';',
      (select format(e'\\nrevoke execute on function %s from public;', p.proname)
        where proacl is not null and not exists (select from aclexplode(proacl) where grantee = 0)),
      (select e'\\n' || string_agg(format('grant execute on function %s to %s;', p.proname,
          entry.grantee::regrole), e'\\n' order by entry.grantee::regrole::text)
        from aclexplode(proacl) entry where entry.grantee <> 0 and entry.grantee <> proowner)) as line
    from pg_proc p where pronamespace = 'keyrail'::regnamespace
    order by proname collate "C"`,
  );
}

if (import.meta.main) writeFileSync(SCHEMA_PATH, await printedSchema());
