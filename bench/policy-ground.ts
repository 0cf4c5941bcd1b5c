// The set-up for measuring the feed: a project with keys, created over HTTP or, for large numbers,
// inserted directly into the database.
import pg from 'pg';

export type Call = (
  method: string,
  path: string,
  body?: object,
) => Promise<Record<string, unknown>>;

export const callOf =
  (port: number, token: string): Call =>
  async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'accept-encoding': 'identity',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };

export type Ground = { projectId: string; tenantId: string; keyIds: string[]; version: number };

let projects = 0;

/** Creates a project with `keys` keys; `version` is its policy version. */
export async function newProject(call: Call, keys: number): Promise<Ground> {
  projects += 1;
  const { id: project } = await call('POST', '/v1/projects', {
    name: 'Bench',
    slug: `bench-${projects}`,
  });
  const { id: tenant } = await call('POST', '/v1/tenants', { external_id: `t-${projects}` });
  const projectId = String(project);
  const tenantId = String(tenant);
  const keyIds: string[] = [];
  for (let made = 0; made < keys; made += 1) {
    const body = { project_id: projectId, tenant_id: tenantId, env: 'live' };
    keyIds.push(String((await call('POST', '/v1/keys', body)).id));
  }
  return { projectId, tenantId, keyIds, version: keys + 1 };
}

/**
 * Inserts many keys as one change. Triggers are off, so the version of that change is inserted here
 * as well.
 */
export async function loadKeys(
  url: string,
  { projectId, tenantId }: Ground,
  keys: number,
): Promise<void> {
  const superuser = new URL(url);
  superuser.username = 'postgres';
  const client = new pg.Client({ connectionString: superuser.toString() });
  await client.connect();
  try {
    await client.query('set search_path = keyrail; set session_replication_role = replica');
    await client.query(
      `insert into api_keys (id, workspace_id, project_id, tenant_id, env, lookup_hash,
         display_prefix, scopes, meta, change_id, created_at)
       select gen_random_uuid(), p.workspace_id, p.id, $2,
         (case when n % 2 = 0 then 'live' else 'test' end)::env,
         sha256(convert_to(p.id || ' ' || n, 'UTF8')), 'kr_live_abc1', '{orders:read,orders:write}',
         '{}', '00000000-0000-7000-8000-000000000000', app_now() - n * interval '1 second'
       from projects p cross join generate_series(1, $3::int) n where p.id = $1`,
      [projectId, tenantId, keys],
    );
    await client.query('vacuum analyze api_keys');
  } finally {
    await client.end();
  }
}
