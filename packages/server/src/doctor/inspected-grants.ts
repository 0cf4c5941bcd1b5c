// Compares the privileges on a migrated database's tables with those that the server's roles need,
// and finds tables whose row-level security has been turned off.
import { granted } from '../db/grants.ts';
import { allRoles, doorRoles, embeddedLogin } from '../db/roles.ts';
import type { Inspection } from './inspection.ts';

export type GrantFault = {
  what: string;
  /** The statement that corrects the difference. */
  statement: string;
};

const RIGHTS = ['select', 'insert', 'update', 'delete', 'truncate'];

/** Finds every difference, ordered by table. */
export async function findGrantFaults(inspection: Inspection): Promise<GrantFault[]> {
  const held = await inspection.query<Held>(HELD, [RIGHTS]);
  const { found: suffix } = await inspection.roleSuffix();
  const ours = new Set(allRoles.map((name) => name + suffix));
  return [
    ...doorFaults(held, suffix),
    ...held.filter(({ grantee }) => !ours.has(grantee ?? '')).map(strangerFault),
  ];
}

/**
 * Finds roles that no longer exist or that the login can't use. Returns nothing before the first
 * migration.
 */
export async function findRoleFaults(inspection: Inspection): Promise<GrantFault[]> {
  const names = inspection.kind === 'postgres' ? allRoles : doorRoles;
  const { found: suffix } = await inspection.roleSuffix();
  const rows = await inspection.query<RoleRow>(ROLES, [
    names.map((name) => name + suffix),
    inspection.kind === 'postgres' ? null : embeddedLogin,
  ]);
  return rows.map(({ role, login, isThere }) =>
    isThere
      ? { what: `${login} cannot use ${role}`, statement: `GRANT ${role} TO ${login}` }
      : { what: `${role} does not exist`, statement: `ALTER ROLE ${login} CREATEROLE` },
  );
}

type RoleRow = { role: string; login: string; isThere: boolean };

// Since version 16, being a member of a role does not always allow SET ROLE to it.
const ROLES = `
  select role, login, found.oid is not null as "isThere"
  from (select role, coalesce($2, session_user)::text as login from unnest($1::text[]) role) wanted
    left join pg_roles found on found.rolname = role
  where to_regnamespace('keyrail') is not null
    and (found.oid is null or not pg_has_role(login, found.oid,
      case when current_setting('server_version_num')::int < 160000 then 'member' else 'set' end))
  order by role`;

/** The names of tables without row-level security, or whose owner bypasses it. */
export async function findUnprotected(inspection: Inspection): Promise<string[]> {
  const rows = await inspection.query<{ name: string }>(UNPROTECTED);
  return rows.map(({ name }) => name);
}

/** A privilege on a table, or on one of its columns. */
type Held = {
  table: string;
  /** Null if every role has the privilege. */
  grantee: string | null;
  may: string;
  column: string | null;
};

// Leaves out the owner's own privileges, and generated columns, because nobody can write to them.
const HELD = `
  select c.relname::text as "table", r.rolname::text as grantee, lower(privilege_type) as may,
    column_name as "column"
  from (
    select oid as table_oid, null as column_name, relacl as list from pg_class
    union all
    select attrelid, attname::text, attacl from pg_attribute
    where attnum > 0 and not attisdropped and attgenerated = ''
  ) object
    join pg_class c on c.oid = table_oid, aclexplode(list) entry
    left join pg_roles r on r.oid = entry.grantee
  where c.relnamespace = to_regnamespace('keyrail') and c.relkind in ('r', 'p')
    and entry.grantee <> c.relowner and lower(privilege_type) = any ($1)
  order by 1, 2, 3, 4`;

const UNPROTECTED = `
  select relname::text as name from pg_class
  where relnamespace = to_regnamespace('keyrail') and relkind in ('r', 'p')
    and relname <> 'migrations' and not (relrowsecurity and relforcerowsecurity)
  order by relname`;

function doorFaults(held: readonly Held[], suffix: string): GrantFault[] {
  return Object.entries(granted).flatMap(([table, rights]) =>
    doorRoles.flatMap((role) => {
      const grantee = role + suffix;
      const found = rightsOf(
        held.filter((each) => each.table === table && each.grantee === grantee),
      );
      const wanted = new Set((rights[role] ?? []).flatMap(columnsApart));
      return [
        ...without(wanted, found).map((right) => ({
          what: `${grantee} lacks ${right} on ${table}`,
          statement: `GRANT ${right} ON keyrail.${table} TO ${grantee}`,
        })),
        ...without(found, wanted).map((right) => ({
          what: `${grantee} has ${right} on ${table}, which it does not need`,
          statement: `REVOKE ${right} ON keyrail.${table} FROM ${grantee}`,
        })),
      ];
    }),
  );
}

const without = (all: ReadonlySet<string>, others: ReadonlySet<string>): string[] =>
  [...all].filter((each) => !others.has(each));

/** A privilege on the table includes the privilege on each column. */
function rightsOf(held: readonly Held[]): Set<string> {
  const whole = new Set(held.filter(({ column }) => column === null).map(({ may }) => may));
  const partial = held.filter(({ may, column }) => column !== null && !whole.has(may));
  return new Set([...whole, ...partial.map(({ may, column }) => `${may} (${column})`)]);
}

/** `select(id,email)` becomes `select (id)` and `select (email)`. */
function columnsApart(right: string): string[] {
  const [, name = right, columns] = /^(\w+)\((.*)\)$/.exec(right) ?? [];
  return columns === undefined ? [right] : columns.split(',').map((each) => `${name} (${each})`);
}

function strangerFault({ table, grantee, may, column }: Held): GrantFault {
  const right = column === null ? may : `${may} (${column})`;
  return {
    what: `${grantee ?? 'every role'} has ${right} on ${table}`,
    statement: `REVOKE ${right} ON keyrail.${table} FROM ${grantee ?? 'PUBLIC'}`,
  };
}
