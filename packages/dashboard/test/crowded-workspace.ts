// A workspace in which every list is longer than one page and names are long. The rows are copied
// with SQL, because thousands of requests would take longer than the test itself.
import { lookupHash } from '@keyrail/protocol/wire/key-format.ts';
import { longAuditLog } from '@keyrail/testing/long-audit-log.ts';
import { endpointFor } from '@keyrail/testing/webhooks.ts';
import { longNames, type Objects, objectsOf } from './every-screen.ts';
import type { Vendor } from './ground.ts';

/** The number of copies of each row, which is more than fits on one page of any list. */
const ROWS = 120;

const NUMBERS = `generate_series(1, ${ROWS}) n`;
const HASH = 'sha256(gen_random_uuid()::text::bytea)';
const EMAIL = `repeat('a', 56) || n || '@' || repeat('b', 60) || '.example'`;

/**
 * Copies the row with this ID. `values` contains an SQL expression for each column to change, or an
 * empty string to copy the column's value.
 */
function copies(table: string, id: string, values: Readonly<Record<string, string>>): string {
  const columns = { id: 'gen_random_uuid()', workspace_id: '', ...values };
  const chosen = Object.entries(columns).map(([name, value]) => value || name);
  return `insert into ${table} (${Object.keys(columns)}) select ${chosen}
    from ${table}, ${NUMBERS} where id = '${id}';`;
}

export async function crowdedWorkspace(vendor: Vendor): Promise<Objects> {
  const { as, testApp, workspaceId } = vendor;
  const objects = await objectsOf(vendor, longNames);
  const ids = objects.named('test');
  const { project_id, tenant_id } = await as.liveKey('GET /v1/keys/{id}', { id: ids.keys });
  const keys = Array.from({ length: ROWS }, (_, at) => ({
    tenant_id,
    lookup_hash: lookupHash(`crowded ${workspaceId} ${at}`),
    display_prefix: 'old_',
    name: longNames.key,
  }));
  await as.liveKey('POST /v1/keys/import', { project_id, env: 'test', keys });
  // No server is listening at this URL. The copied deliveries have already failed, so none of the
  // copies are sent.
  const endpoint = await endpointFor(vendor, 'http://127.0.0.1:1/keyrail');
  const times = { created_at: `created_at - n * interval '1 minute'`, updated_at: '' };
  const statements = [
    'set local session_replication_role = replica;',
    copies('tenants', tenant_id, {
      ...{ external_id: 'left(external_id, 180) || n', name: '', meta: '', embed_epoch: '' },
      ...times,
    }),
    copies('projects', project_id, {
      ...{ name: '', slug: 'slug || n', default_rate_limits: '' },
      ...times,
    }),
    `insert into project_versions (project_id, workspace_id, version, floor)
      select id, workspace_id, 1, 0 from projects
      where workspace_id = '${workspaceId}' and id <> '${project_id}';`,
    copies('secret_keys', ids['secret-keys'] ?? '', {
      ...{ env: '', lookup_hash: HASH, display_prefix: '', name: `repeat('W', 200)`, meta: '' },
      ...{ authority: '', created_at: '' },
    }),
    `with people as (
      insert into users (id, email, email_key, name, password_hash, created_at)
      select gen_random_uuid(), email, '${workspaceId}' || email, repeat('W', 200), '', now()
      from ${NUMBERS}, lateral (select ${EMAIL} as email) addresses returning id)
      insert into memberships (id, workspace_id, user_id, role, created_at, updated_at)
      select gen_random_uuid(), '${workspaceId}', id, 'member', now(), now() from people;`,
    `insert into invites (id, workspace_id, email, role, token_hash, mail_token_hash, created_at,
        expires_at)
      select gen_random_uuid(), '${workspaceId}', ${EMAIL}, 'member', ${HASH}, ${HASH}, now(),
        now() + interval '3 days' from ${NUMBERS};`,
    `insert into policy_nodes (project_id, node_id, env_scope, workspace_id, acked_version,
        last_seen_at)
      select '${project_id}', repeat('w', 100) || n, 'test', '${workspaceId}', 1, now()
      from ${NUMBERS};`,
    `insert into usage_tenant_months (workspace_id, tenant_id, project_id, env, month,
        request_count, first_seen_at, last_seen_at)
      select workspace_id, id, '${project_id}', 'test', date_trunc('month', now()), 1e9, now(),
        now() from tenants where workspace_id = '${workspaceId}';`,
    `insert into webhook_deliveries (id, workspace_id, endpoint_id, env, type, notice, state,
        attempts, due_at, last_error, created_at)
      select gen_random_uuid(), '${workspaceId}', '${endpoint.id}', 'test',
        'secret_key.expiring', '{}', 'failed', 9, now(), repeat('w', 200), now()
      from ${NUMBERS};`,
    longAuditLog({ workspaceId, rows: ROWS }),
  ];
  await testApp.beyond(statements.join('\n'));
  return objects;
}
