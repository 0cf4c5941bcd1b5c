// Start refuses a login that row level security does not hold: with such a role every wall
// between workspaces would be paint.
import type pg from 'pg';

export class UnsafeLoginRole extends Error {}

export async function refuseUnsafeLogin(admin: pg.ClientBase): Promise<void> {
  const { rows } = await admin.query<{ name: string; super: boolean; bypass: boolean }>(
    `select rolname as name, rolsuper as super, rolbypassrls as bypass
     from pg_roles where rolname = session_user`,
  );
  const role = rows[0];
  if (!role) throw new UnsafeLoginRole('The database login has no role of its own.');
  if (role.super || role.bypass) {
    const why = role.super ? 'is a superuser' : 'has BYPASSRLS';
    throw new UnsafeLoginRole(
      `The database login "${role.name}" ${why}, so row level security would not hold. Make one ` +
        'for Keyrail: CREATE ROLE keyrail LOGIN NOINHERIT CREATEROLE; and let it own the database.',
    );
  }
}
