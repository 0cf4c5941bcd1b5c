// A database of an earlier version, whose roles are shared by the whole cluster, and a query that
// compares it after its migration to this version.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readMigrations } from '@keyrail/server/db/migrate.ts';
import type pg from 'pg';
import {
  closing,
  type Furnished,
  insertApiKey,
  insertProject,
  insertSecretKey,
  insertTenant,
  insertWorkspace,
} from './rows.ts';

/** The last migration that ran under the shared roles. */
const LAST_SHARED = '0014_room_for_nodes.sql';

/** The `migrate` of the last version with shared roles. */
export async function migrateWithSharedRoles(login: pg.ClientBase): Promise<void> {
  const roles = await readFile(join(import.meta.dirname, 'shared-roles.sql'), 'utf8');
  await login.query('begin');
  await login.query(roles);
  await login.query('set local role kr_owner');
  await login.query('set local search_path = keyrail');
  await login.query(`create table migrations (
    name text primary key, hash text not null, applied_at timestamptz not null)`);
  for (const { name, text, hash } of await readMigrations()) {
    if (name > LAST_SHARED) break;
    await login.query(text);
    await login.query('insert into migrations values ($1, $2, clock_timestamp())', [name, hash]);
  }
  await login.query('commit');
}

/** A workspace with a project, a tenant, a secret key and an API key, written as a door would. */
export async function furnishWithSharedRoles(login: pg.ClientBase): Promise<Furnished> {
  const workspaceId = randomUUID();
  const projectId = randomUUID();
  const tenantId = randomUUID();
  await login.query('begin');
  await login.query('set local search_path = keyrail; set local role kr_write');
  await login.query(
    `select set_config('kr.workspace', $1, true), set_config('kr.envs', 'live,test', true),
       set_config('kr.change', $2, true)`,
    [workspaceId, randomUUID()],
  );
  for (const { text, values } of [
    insertWorkspace(workspaceId),
    insertProject(projectId),
    insertTenant(tenantId),
    insertSecretKey('live'),
    insertApiKey({ projectId, tenantId, env: 'live' }, randomUUID()),
    closing(workspaceId, { policy: [projectId] }),
  ]) {
    await login.query(text, [...values]);
  }
  await login.query('commit');
  return { workspaceId, projects: [projectId], tenants: [tenantId] };
}

/** Owners, grants and policies of the schema; role names come without the oid of their database. */
export const BELONGINGS = `
  with held as (
    select c.oid::regclass::text as thing, relowner as owner, relacl as acl
      from pg_class c where relnamespace = 'keyrail'::regnamespace and relkind in ('r', 'p', 'v', 'S')
    union all
    select a.attrelid::regclass || '.' || attname, relowner, attacl
      from pg_attribute a join pg_class c on c.oid = a.attrelid
      where relnamespace = 'keyrail'::regnamespace and attacl is not null
    union all
    select p.oid::regprocedure || ' ' || prosecdef || ' ' || coalesce(proconfig::text, ''),
        proowner, proacl from pg_proc p where pronamespace = 'keyrail'::regnamespace
    union all
    select 'type ' || t.oid::regtype, typowner, typacl
      from pg_type t where typnamespace = 'keyrail'::regnamespace
    union all
    select 'schema', nspowner, nspacl from pg_namespace where nspname = 'keyrail'
  ), said as (
    select thing || ' belongs to ' || owner::regrole as line from held
    union all
    select thing || ': ' || entry.privilege_type || ' to '
        || case when entry.grantee = 0 then 'public' else entry.grantee::regrole::text end
        || ' by ' || entry.grantor::regrole
      from held, aclexplode(held.acl) entry
    union all
    select 'policy ' || polname || ' on ' || polrelid::regclass || ' to '
        || case when role_oid = 0 then 'public' else role_oid::regrole::text end
      from pg_policy, unnest(polroles) role_oid
      where polrelid in (select oid from pg_class where relnamespace = 'keyrail'::regnamespace)
  )
  select regexp_replace(line, '\\m(kr_[a-z]+)_\\d+\\M', '\\1', 'g') as line,
    substring(line from '\\mkr_(?:owner|read|write|record|gate|worker)(?:_\\d+)?\\M') as role
  from said order by line collate "C"`;
