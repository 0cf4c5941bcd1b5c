// Projects with keys: created over HTTP or, for large numbers, inserted into the database.
import pg from 'pg';
import type { Call } from './workspaces.ts';

export type Project = { projectId: string; tenantId: string };

let projects = 0;

/** Creates a project and a tenant. The project's policy has version 1. */
export async function createProject(call: Call): Promise<Project> {
  projects += 1;
  const project = await call('POST', '/v1/projects', { name: 'Bench', slug: `bench-${projects}` });
  const tenant = await call('POST', '/v1/tenants', { external_id: `t-${projects}` });
  return { projectId: String(project.id), tenantId: String(tenant.id) };
}

/** Creates keys over HTTP, one after another, and returns their IDs. */
export async function createKeys(
  call: Call,
  { projectId, tenantId }: Project,
  count: number,
): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const body = { project_id: projectId, tenant_id: tenantId, env: 'live' };
    ids.push(String((await call('POST', '/v1/keys', body)).id));
  }
  return ids;
}

/**
 * IDs begin with their creation time, like the server's, so that the table looks as if it had grown
 * over time.
 */
const TIMED_ID = `encode(substring(int8send((extract(epoch from at) * 1000)::bigint) from 3)
  || substring(uuid_send(gen_random_uuid()) from 7), 'hex')::uuid`;

const HISTORY = `
  create temporary table history as
  select n, at, ${TIMED_ID} as key_id, ${TIMED_ID} as change_id
  from (select n, app_now() - ($1::int - n) * interval '1 second' as at
        from generate_series(1, $1::int) n) moments`;

const KEYS = `
  insert into api_keys (id, workspace_id, project_id, tenant_id, env, lookup_hash,
    display_prefix, scopes, meta, change_id, created_at)
  select h.key_id, p.workspace_id, p.id, $2, (case when n % 2 = 0 then 'live' else 'test' end)::env,
    sha256(convert_to(p.id || ' ' || n, 'UTF8')), 'kr_live_abc1', '{orders:read,orders:write}',
    '{}', h.change_id, h.at
  from history h cross join projects p where p.id = $1 order by n`;

const CHANGES = `
  insert into policy_changes (project_id, version, workspace_id, change_id, changed_at)
  select v.project_id, v.version + n, v.workspace_id, h.change_id, h.at
  from history h cross join project_versions v where v.project_id = $1 order by n`;

const VERSION = 'update project_versions set version = version + $2 where project_id = $1';

/**
 * Inserts keys as if they had been created over time: one change per key, a second apart, each with
 * its own version. Triggers are off, so the changes are inserted here as well. The policy's version
 * increases by the number of keys.
 */
export async function insertKeys(
  databaseUrl: string,
  { projectId, tenantId }: Project,
  count: number,
): Promise<void> {
  const superuser = new URL(databaseUrl);
  superuser.username = 'postgres';
  const client = new pg.Client({ connectionString: superuser.toString() });
  await client.connect();
  try {
    await client.query('set search_path = keyrail; set session_replication_role = replica');
    await client.query(HISTORY, [count]);
    await client.query(KEYS, [projectId, tenantId]);
    await client.query(CHANGES, [projectId]);
    await client.query(VERSION, [projectId, count]);
    await client.query('vacuum analyze api_keys');
    await client.query('vacuum analyze policy_changes');
  } finally {
    await client.end();
  }
  console.log(`  inserted ${count} keys`);
}
