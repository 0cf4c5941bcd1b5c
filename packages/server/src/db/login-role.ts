// Refuses to start with roles that bypass row-level security, because then workspaces wouldn't be
// isolated. Warns about rights that the login no longer needs.
import type pg from 'pg';
import { allRoles } from './roles.ts';

export class UnsafeLoginRole extends Error {}

/** Checks the login itself, before it is used. */
export async function refuseUnsafeLogin(admin: pg.ClientBase): Promise<void> {
  const { rows } = await admin.query<{ name: string; super: boolean; bypass: boolean }>(
    `select rolname as name, rolsuper as super, rolbypassrls as bypass
     from pg_roles where rolname = session_user`,
  );
  const role = rows[0];
  if (!role) throw new UnsafeLoginRole('The database login is missing from pg_roles.');
  if (role.super || role.bypass) {
    const why = role.super ? 'is a superuser' : 'has BYPASSRLS';
    throw new UnsafeLoginRole(
      `The database login "${role.name}" ${why}, so row-level security would not apply. Create a ` +
        'separate login: CREATE ROLE keyrail LOGIN NOINHERIT CREATEROLE; and make it the database owner.',
    );
  }
}

/** Checks all roles that the login can set, directly or indirectly. Runs after the migration. */
export async function refuseUnsafeRoles(admin: pg.ClientBase, login: string): Promise<void> {
  const { rows } = await admin.query<{ name: string; super: boolean }>(
    `select rolname as name, rolsuper as super from pg_roles
     where (rolsuper or rolbypassrls) and pg_has_role($1, oid, 'member') order by rolname limit 1`,
    [login],
  );
  const [role] = rows;
  if (!role) return;
  throw new UnsafeLoginRole(
    `The database login "${login}" can become "${role.name}", which ` +
      `${role.super ? 'is a superuser' : 'has BYPASSRLS'}: row-level security would not apply. ` +
      `Fix it with: ALTER ROLE "${role.name}" NOSUPERUSER NOBYPASSRLS; or revoke the membership.`,
  );
}

/** In a warning, the words between the problem and the SQL statement that fixes it. */
export const TO_FIX = '; to fix this, run ';

export type LoginWarning = {
  /** Most warnings end with `TO_FIX` and an SQL statement. */
  text: string;
  /** Whether another login in the cluster could take over this one. */
  isUnsafe: boolean;
};

/**
 * Before this PostgreSQL version, CREATEROLE allows changing the password of every login except
 * superusers.
 */
const CREATEROLE_IS_BOUNDED_FROM = 160_000;

/** Warnings about the login and its database. */
export async function loginWarnings(admin: pg.ClientBase): Promise<LoginWarning[]> {
  const { rows } = await admin.query<Rights>(RIGHTS, [allRoles]);
  const [rights] = rows;
  if (!rights) return [];
  const { login, database, others, roleMakers } = rights;
  const isBounded = rights.version >= CREATEROLE_IS_BOUNDED_FROM;
  const harmless = [
    ...(rights.isOpen
      ? [
          `every login in the cluster can connect to this database${TO_FIX}` +
            `REVOKE CONNECT ON DATABASE "${database}" FROM PUBLIC`,
        ]
      : []),
    ...(others.length > 0
      ? [`other logins are members of this database's roles: ${others.join(', ')}`]
      : []),
  ];
  const aboutRoles = [
    ...(rights.createsRoles
      ? [
          `the database login can still create roles, but only the first migration needs that` +
            TO_FIX +
            withoutCreateRole([login]),
        ]
      : []),
    ...(roleMakers.length > 0 && !isBounded
      ? [
          `before PostgreSQL 16, roles with CREATEROLE can change the database login's ` +
            `password; roles with CREATEROLE: ${roleMakers.join(', ')}${TO_FIX}` +
            withoutCreateRole(roleMakers),
        ]
      : []),
  ];
  return [
    ...aboutRoles.map((text) => ({ text, isUnsafe: !isBounded })),
    ...harmless.map((text) => ({ text, isUnsafe: false })),
  ];
}

const withoutCreateRole = (names: readonly string[]): string =>
  names.map((name) => `ALTER ROLE "${name}" NOCREATEROLE`).join('; ');

type Rights = {
  login: string;
  database: string;
  createsRoles: boolean;
  isOpen: boolean;
  others: string[];
  /** Roles with CREATEROLE, except the login itself and superusers. */
  roleMakers: string[];
  version: number;
};

// `others`: other logins that are members of our roles, not counting superusers, which are always
// members.
const RIGHTS = `
  select session_user::text as login, current_database()::text as database,
    rolcreaterole as "createsRoles",
    exists (
      select from aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) entry
      where entry.grantee = 0 and entry.privilege_type = 'CONNECT') as "isOpen",
    array(
      select other.rolname::text from pg_roles other
      where other.rolcanlogin and not other.rolsuper and other.rolname <> session_user
        and exists (select from unnest($1::text[]) name
                    where pg_has_role(other.oid, keyrail.role_of(name), 'member'))
      order by other.rolname) as others,
    array(
      select maker.rolname::text from pg_roles maker
      where maker.rolcreaterole and not maker.rolsuper and maker.rolname <> session_user
      order by maker.rolname) as "roleMakers",
    current_setting('server_version_num')::int as version
  from pg_roles r, pg_database d
  where r.rolname = session_user and d.datname = current_database()`;
