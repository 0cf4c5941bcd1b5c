// The database roles: the owner of the schema, and one role for each door. These are the names that
// the server and the migrations use. In a database every name ends in the oid of that database;
// the SQL function role_of() gives the whole name, and nothing else does (see roles.sql).
import type pg from 'pg';

const doorRoles = ['kr_read', 'kr_write', 'kr_record', 'kr_gate', 'kr_worker'] as const;

/** Each is granted only what its door is for. */
export type DoorRole = (typeof doorRoles)[number];

/** What the only session of the embedded store becomes once its database is migrated. */
export const embeddedLogin = 'kr_login';

export const allRoles: readonly string[] = ['kr_owner', ...doorRoles];

const namedRole = new RegExp(`\\b(?:${allRoles.join('|')})\\b`, 'g');

/** Replaces the names of roles in SQL by the ones that they have in this database. */
export async function inThisDatabase(admin: pg.ClientBase): Promise<(text: string) => string> {
  const { rows } = await admin.query<{ name: string; whole: string }>(
    'select name, keyrail.role_of(name) as whole from unnest($1::text[]) name',
    [allRoles],
  );
  const wholeNames = new Map(rows.map(({ name, whole }) => [name, whole]));
  return (text) => text.replace(namedRole, (name) => wholeNames.get(name) ?? name);
}
