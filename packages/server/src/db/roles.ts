// The database roles: the schema's owner, one role for each kind of access (each door), and a role
// for backups. The server and the migrations use these names. In the database, each name also has
// the database's oid as a suffix, which only the SQL function role_of() adds (see roles.sql).
import type pg from 'pg';

export const doorRoles = ['kr_read', 'kr_write', 'kr_record', 'kr_gate', 'kr_worker'] as const;

/** The roles that the server's transactions use. Each has only the rights it needs. */
export type DoorRole = (typeof doorRoles)[number];

/** The role that the embedded store's only session has after the migration. */
export const embeddedLogin = 'kr_login';

/** Can read every table. Used only for backups. */
export const backupRole = 'kr_backup';

export const allRoles: readonly string[] = ['kr_owner', ...doorRoles, backupRole];

const namedRole = new RegExp(`\\b(?:${allRoles.join('|')})\\b`, 'g');

/** Returns a function that adds this database's suffix to the role names in SQL. */
export async function inThisDatabase(admin: pg.ClientBase): Promise<(text: string) => string> {
  const { rows } = await admin.query<{ name: string; whole: string }>(
    'select name, keyrail.role_of(name) as whole from unnest($1::text[]) name',
    [allRoles],
  );
  const wholeNames = new Map(rows.map(({ name, whole }) => [name, whole]));
  return (text) => text.replace(namedRole, (name) => wholeNames.get(name) ?? name);
}
