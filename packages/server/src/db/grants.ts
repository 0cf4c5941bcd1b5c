// Which privileges each door (a database role) has on each table. The migrations grant the
// privileges. This list repeats them on purpose, so that a grant added, lost or widened by accident
// is noticed: a test compares the list with a new database, and the doctor compares it with a
// deployment's database.
import type { DoorRole } from './roles.ts';

/** Each role's privileges on a table, or on some of its columns: `select(id,email)`. */
type Rights = Partial<Record<DoorRole, string[]>>;

/** For tables that can only be changed together with an entry in the audit log. */
const audited: Rights = { kr_read: ['select'], kr_write: ['select', 'insert', 'update'] };

/** For tables that only the owner's functions write to. */
const derived: Rights = { kr_read: ['select'], kr_write: ['select'] };

const own = ['select', 'insert', 'update'];

/** The columns of a user's row that fellow members may see. */
const shown = 'select(id,email,email_key,email_verified_at,name)';

export const granted: Record<string, Rights> = {
  migrations: {},
  workspaces: {
    ...audited,
    kr_gate: ['select(id,name,slug,embed_origins,created_at,created_by)'],
    kr_worker: ['select(id)'],
  },
  audit_heads: { ...derived, kr_worker: ['select(workspace_id,seq,hash,occurred_at,listens)'] },
  audit_logs: { ...derived, kr_worker: ['select(workspace_id,seq,hash)'] },
  audit_anchors: { kr_read: ['select'], kr_worker: own },
  audit_anchor_places: { kr_worker: [...own, 'delete'] },

  secret_keys: {
    ...audited,
    kr_gate: [
      'select(id,workspace_id,env,lookup_hash,expires_at,revoked_at,quarantined_at,authority,permissions,project_ids,networks)',
    ],
    kr_worker: ['select(id,workspace_id,env,display_prefix,expires_at,revoked_at,permissions)'],
  },
  secret_key_uses: { ...derived, kr_gate: own },

  projects: {
    ...audited,
    kr_record: ['select'],
    kr_gate: ['select(id,workspace_id,deleted_at)'],
  },
  tenants: {
    ...audited,
    kr_record: ['select'],
    kr_gate: ['select(id,workspace_id,embed_epoch,deleted_at)'],
  },
  api_keys: {
    ...audited,
    kr_record: ['select'],
    kr_gate: ['select(id,workspace_id,lookup_hash,revoked_at,quarantined_at,imported)'],
    kr_worker: [
      'select(id,workspace_id,project_id,tenant_id,env,display_prefix,expires_at,revoked_at,disabled_at,created_at,retired_at)',
      'update(retired_at)',
    ],
  },
  meta_totals: {},
  kept_responses: {
    kr_worker: ['select(workspace_id,env,key_hash,response,expires_at)', 'delete'],
  },
  kept_response_totals: { kr_worker: ['select', 'update'] },
  project_versions: {
    ...derived,
    kr_record: ['select'],
    kr_gate: ['select(project_id,version)'],
  },
  policy_changes: { ...derived, kr_record: ['select'], kr_worker: ['select'] },
  policy_nodes: {
    ...derived,
    kr_record: [...own, 'delete'],
    kr_worker: ['select', 'update(last_seen_at)', 'delete'],
  },

  idempotency_records: {
    kr_record: [...own, 'delete'],
    kr_worker: ['select(workspace_id,env,scope_hash,expires_at)', 'delete'],
  },

  idempotency_totals: { kr_record: own, kr_worker: ['select', 'update'] },

  ingest_budgets: { kr_record: own },
  ingest_batches: {
    kr_record: ['select', 'insert'],
    kr_worker: ['select(workspace_id,env,batch_id,received_at)', 'delete'],
  },
  usage_key_days: {
    ...derived,
    kr_record: own,
    kr_worker: ['select(key_id,day,last_at)', 'delete'],
  },
  tenant_month_totals: { kr_record: own },
  usage_tenant_months: { kr_read: ['select'], kr_record: own },
  traffic_spans: { kr_read: ['select'], kr_record: own },
  usage_hours: {
    kr_read: ['select'],
    kr_record: own,
    kr_worker: ['select(workspace_id,project_id,env,hour)', 'delete'],
  },
  usage_denials: {
    kr_read: ['select'],
    kr_record: own,
    kr_worker: ['select(workspace_id,project_id,env,hour,reason)', 'delete'],
  },

  users: {
    kr_gate: own,
    kr_read: [shown],
    kr_write: [shown, 'update(email_verified_at,last_workspace_id)'],
  },
  void_sign_ups: {
    kr_gate: ['select(email_key)', 'insert'],
    kr_worker: ['select(id,created_at)', 'delete'],
  },
  memberships: { ...audited, kr_gate: ['select'] },
  invites: { ...audited, kr_gate: ['select(email,expires_at,accepted_at,revoked_at)'] },
  sessions: {
    kr_gate: own,
    kr_write: ['select(id,user_id,active_workspace_id)', 'update(active_workspace_id)'],
    kr_worker: ['select', 'delete'],
  },
  one_time_tokens: { kr_gate: own, kr_worker: ['select', 'delete'] },

  webhook_endpoints: {
    kr_read: ['select'],
    kr_write: [
      'select',
      'insert',
      'update(env,url,events,description,sealed_secret,sealed_old_secret,old_secret_until,disabled_at,disabled_reason,failing_since,updated_at,deleted_at)',
    ],
    kr_worker: ['select', 'update(failing_since)'],
  },
  webhook_deliveries: {
    kr_read: ['select'],
    kr_write: [
      'select',
      'insert',
      'update(state,attempts,due_at,claim,claimed_until,last_status,last_error,duration_ms,delivered_at)',
    ],
    kr_worker: ['select', 'update', 'delete'],
  },
  notice_marks: { kr_worker: own },

  mail_outbox: {
    kr_gate: ['insert'],
    kr_write: ['insert'],
    kr_worker: [...own, 'delete'],
  },
  signing_keys: {
    kr_gate: ['select'],
    kr_read: ['select(id,purpose,signs_from,ends_at)'],
    kr_worker: [...own, 'delete'],
  },
  worker_beats: { kr_gate: ['select'], kr_worker: [...own, 'delete'] },
  job_leases: { kr_worker: own },
  backup_runs: { kr_gate: ['select'], kr_worker: ['select', 'insert', 'delete'] },
  recent_restores: { kr_read: ['select'], kr_worker: ['select', 'delete'] },
  served_spans: {
    kr_gate: [...own, 'delete'],
    kr_read: ['select'],
    kr_record: ['select'],
    kr_worker: ['select'],
  },
};
