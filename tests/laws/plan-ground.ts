// A workspace with enough rows for an unbounded read to show in its plan.

import type { Harness } from '@keyrail/testing/harness.ts';
import pg from 'pg';

const MANY = 8000;
const SOME = 3000;
/** How many policy versions the project has: more than a delta can cover. */
const VERSIONS = 12_000;

export type Ground = { projectId: string; tenantId: string; version: number };

/** Connects as the superuser, to whom row level security and triggers don't apply. */
export async function openAdmin(superuserUrl: string, database: string): Promise<pg.Client> {
  const url = new URL(superuserUrl);
  url.pathname = `/${database}`;
  const options = '-c search_path=keyrail -c session_replication_role=replica';
  const admin = new pg.Client({ connectionString: url.toString(), options });
  await admin.connect();
  await admin.query("set session_preload_libraries = ''").catch(() => {});
  return admin;
}

/**
 * Fills the workspace. One change has written all keys, and live rows come both before and after
 * the few test rows.
 */
export async function fill(app: Harness, admin: pg.Client): Promise<Ground> {
  const key = await app.given.key();
  const { project_id: projectId, tenant_id: tenantId } = key;
  const owner = await app.people.owner();
  const place = new Map([
    ['w', app.workspaceId],
    ['p', projectId],
    ['t', tenantId],
    ['u', owner.userId],
  ]);
  for (const text of statements) {
    await admin.query(text.replace(/<(\w)>/g, (_, name) => `'${place.get(name)}'::uuid`));
  }
  const { rows } = await admin.query('select version from project_versions where project_id = $1', [
    projectId,
  ]);
  return { projectId, tenantId, version: Number(rows[0]?.version) };
}

const many = (rows: number, columns: string) =>
  `select ${columns} from generate_series(1, ${rows}) n`;
const id = 'gen_random_uuid()';
const past = "app_now() - n * interval '1 second'";
/** One row an hour, for invitations: a workspace may send only a few per hour. */
const old = "app_now() - n * interval '1 hour'";
const hash = 'sha256((n || <w>::text)::bytea)';

const address = "'bulk-' || n || '@' || <w> || '.test'";

const statements = [
  // Versions before the change that wrote all keys. No key refers to any of them.
  `insert into policy_changes ${many(VERSIONS, `<p>, 1000 + n, <w>, ${id}, ${past}`)}`,
  `update project_versions set version = ${VERSIONS + 1001} where project_id = <p>`,
  `insert into policy_changes values (<p>, ${VERSIONS + 1001}, <w>, <w>, app_now())`,
  `insert into api_keys (id, workspace_id, project_id, tenant_id, env, lookup_hash, display_prefix,
      scopes, meta, change_id, created_at, expires_at)
    ${many(
      MANY,
      `${id}, <w>, <p>, <t>, 'live', ${hash}, 'kr_live_aaaaaa', '{}', '{}',
      <w>, ${past}, app_now() + interval '1 day'`,
    )}`,
  `insert into tenants (id, workspace_id, external_id, meta, embed_epoch, created_at, updated_at)
    ${many(MANY, `${id}, <w>, 'bulk-' || n, '{}', 1, ${past}, ${past}`)}`,
  `insert into projects (id, workspace_id, name, slug, default_rate_limits, created_at, updated_at)
    ${many(SOME, `${id}, <w>, 'Bulk', 'bulk-' || n, '[]', ${past}, ${past}`)}`,
  `insert into project_versions select id, workspace_id, 1, 1 from projects
    where workspace_id = <w> and slug like 'bulk-%'`,
  `insert into audit_logs ${many(
    MANY,
    `${id}, <w>, 1000000 + n, ${past}, 'user', <u>::text,
    'api_key.created', 'api_key', ${id}, 'live', '{}', repeat('0', 64), repeat('0', 64)`,
  )}`,
  `insert into secret_keys (id, workspace_id, env, lookup_hash, display_prefix, meta, authority,
      created_at)
    ${many(SOME, `${id}, <w>, 'live', ${hash}, 'krsk_', '{}', 'owner', ${past}`)}`,
  `insert into secret_key_uses select id, workspace_id, app_now() from secret_keys
    on conflict do nothing`,
  `insert into policy_nodes
    (project_id, node_id, env_scope, workspace_id, acked_version, last_seen_at)
    ${many(SOME, `<p>, 'bulk-' || n, 'all', <w>, 0, ${past}`)}`,
  `insert into users (id, email, email_key, password_hash, created_at)
    ${many(MANY, `${id}, ${address}, ${address}, '', ${past}`)}`,
  `insert into memberships select ${id}, <w>, id, 'member', created_at, created_at from users
    where email like '%@' || <w> || '.test'`,
  `insert into invites (id, workspace_id, email, role, token_hash, mail_token_hash, created_at,
      expires_at)
    ${many(SOME, `${id}, <w>, 'bulk@bulk.test', 'member', ${hash}, ${hash}, ${old}, ${old}`)}`,
  `insert into sessions (id, user_id, lookup_hash, display_prefix, created_at, last_seen_at,
      expires_at, absolute_expires_at)
    ${many(
      MANY,
      `${id}, <u>, ${hash}, 'krs_', ${past}, ${past}, app_now() + interval '1 hour',
      app_now() + interval '1 hour'`,
    )}`,
  `insert into one_time_tokens (id, user_id, purpose, token_hash, created_at, expires_at)
    ${many(SOME, `${id}, id, 'verify_email', ${hash}, ${past}, ${past}`)}, users where email_key = 'bulk-1@' || <w> || '.test'`,
  `insert into mail_outbox (id, kind, recipient, params, created_at, due_at, attempts, sent_at)
    ${many(MANY, `${id}, 'bulk', 'bulk', '{}', app_now(), ${past}, 1, app_now()`)}`,
  `insert into webhook_endpoints (id, workspace_id, env, url, events, sealed_secret, created_at,
      updated_at)
    ${many(1, `${id}, <w>, 'live', 'http://127.0.0.1:1/', '{workspace.updated}', '', ${past}, ${past}`)}`,
  `insert into webhook_deliveries (id, workspace_id, endpoint_id, env, type, notice, due_at,
      created_at)
    ${many(MANY, `${id}, <w>, e.id, 'live', 'workspace.updated', '{}', ${past}, ${past}`)},
      webhook_endpoints e where e.workspace_id = <w>`,
  // This webhook endpoint's ID sorts last, so that a merge join would read the deliveries of all
  // other endpoints first.
  `insert into webhook_endpoints (id, workspace_id, env, url, events, sealed_secret, created_at,
      updated_at, deleted_at)
    ${many(
      1,
      `('ffffffff' || substr(${id}::text, 9))::uuid, <w>, 'live', 'http://127.0.0.1:1/',
      '{workspace.updated}', '', ${past}, ${past}, app_now()`,
    )}`,
  `insert into idempotency_records (workspace_id, env, scope_hash, fingerprint, locked_until,
      expires_at)
    ${many(MANY, `<w>, 'live', ${hash}, ${hash}, ${past}, app_now() + interval '1 hour'`)}`,
  `insert into kept_responses (workspace_id, env, key_hash, fingerprint, response,
      ends_secret_keys, kept_at, expires_at)
    ${many(
      MANY,
      `<w>, 'live', ${hash}, ${hash}, '{}', '{}', ${past}, app_now() + interval '1 hour'`,
    )}`,
  // The total size of stored responses is at its limit, so storing another response removes the
  // oldest ones.
  `insert into kept_response_totals values (<w>, 'live', kept_bytes_max())`,
  `insert into ingest_batches ${many(MANY, `<w>, 'live', ${id}, 1, 0, app_now()`)}`,
  `insert into usage_key_days
    ${many(MANY, `<w>, ${id}, (app_now() at time zone 'UTC')::date, 1, 0, app_now()`)}`,
  `insert into usage_tenant_months ${many(
    MANY,
    `<w>, ${id}, <p>, 'live',
    date_trunc('month', app_now() at time zone 'UTC')::date, 1, app_now(), app_now()`,
  )}`,
];

const TABLES = `select oid from pg_class where relnamespace = 'keyrail'::regnamespace`;

/** Ways to leave the planner with no statistics, or with wrong ones. */
export const beliefs: Record<string, string[]> = {
  'never analysed': [
    `delete from pg_statistic where starelid in (${TABLES})`,
    `update pg_class set reltuples = -1, relpages = 0 where oid in (${TABLES}) and relkind = 'r'`,
  ],
  'analysed when empty': [
    `delete from pg_statistic where starelid in (${TABLES})`,
    `update pg_class set reltuples = 0, relpages = 0 where oid in (${TABLES}) and relkind = 'r'`,
  ],
  'analysed with one value everywhere': ['analyze'],
};
