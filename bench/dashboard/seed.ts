// A workspace with many keys and a long audit log, and a user signed in to it.
import { randomUUID } from 'node:crypto';
import { longAuditLog } from '@keyrail/testing/long-audit-log.ts';
import pg from 'pg';
import type { Keyrail } from '../setup/keyrail.ts';
import { createProject, insertKeys } from '../setup/projects.ts';
import { createCaller } from '../setup/workspaces.ts';

const TENANTS = 40;
/** The environments, live and test. `Size.keys` is the number of keys in each environment. */
export const ENVIRONMENTS = 2;

export type Size = { keys: number; auditRows: number };

export type Seeded = {
  slug: string;
  session: { token: string; userId: string; email: string };
  keyId: string;
  tenantId: string;
};

export async function seed(server: Keyrail, databaseUrl: string, size: Size): Promise<Seeded> {
  const client = new pg.Client({ connectionString: asSuperuser(databaseUrl) });
  await client.connect();
  try {
    await client.query('set search_path = keyrail; set session_replication_role = replica');
    const session = await signUp(server, client);
    const slug = 'dashboard';
    const asPerson = createCaller(server.port, session.token);
    const founded = await asPerson('POST', '/v1/workspaces', { name: 'Dashboard', slug });
    const call = createCaller(server.port, keyOf(founded));
    const { id: workspaceId } = await call('GET', '/v1/workspace');
    const project = await createProject(call);
    const tenantIds = [project.tenantId];
    while (tenantIds.length < TENANTS) {
      const name = `Customer ${tenantIds.length}`;
      const tenant = await call('POST', '/v1/tenants', { external_id: name, name });
      tenantIds.push(String(tenant.id));
    }
    await insertKeys(databaseUrl, project, size.keys * ENVIRONMENTS);
    const { rows } = await client.query(NAMES, [project.projectId, tenantIds]);
    const log = { workspaceId: String(workspaceId), rows: size.auditRows };
    await client.query(longAuditLog(log));
    await client.query('vacuum analyze audit_logs');
    await client.query('vacuum analyze api_keys');
    console.log(`  inserted ${size.auditRows} audit rows`);
    const keyId = String(rows.find(({ env }) => env === 'live')?.id);
    return { slug, session, keyId, tenantId: project.tenantId };
  } finally {
    await client.end();
  }
}

function asSuperuser(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.username = 'postgres';
  return url.toString();
}

/**
 * Marks the email address as verified directly in the database, because no one reads emails here.
 */
async function signUp({ port }: Keyrail, client: pg.Client): Promise<Seeded['session']> {
  const email = 'ada@example.com';
  const password = randomUUID();
  const call = createCaller(port, '');
  await call('POST', '/v1/auth/users', { email, password, name: 'Ada' });
  await client.query('update users set email_verified_at = app_now()');
  const { rows } = await client.query('select id from users');
  const { token } = await call('POST', '/v1/auth/sessions', { email, password });
  return { token: String(token), userId: String(rows[0]?.id), email };
}

function keyOf({ secret_key }: Record<string, unknown>): string {
  const key: unknown =
    typeof secret_key === 'object' && secret_key !== null ? Reflect.get(secret_key, 'key') : null;
  if (typeof key !== 'string') throw new Error('creating a workspace returned no secret key');
  return key;
}

/**
 * Names every key (`Key 000001`) and assigns it to one of the tenants. Keys with even numbers are
 * live.
 */
const NAMES = `
  update api_keys set name = 'Key ' || lpad(n::text, 6, '0'), tenant_id = ($2::uuid[])[1 + n % cardinality($2::uuid[])]
  from (select id as numbered, (row_number() over (order by id))::int as n
        from api_keys where project_id = $1) numbers
  where id = numbered returning id, env`;
