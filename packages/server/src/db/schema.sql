-- The current schema, written by scripts/printed-schema.ts. The comments are in the migrations.
-- Role names lack the oid of their database. Not shown, because all tables have them: the
-- privileges of the owner and of backups, and the policy "backup".

create type env as enum ('live', 'test');
create type member_role as enum ('owner', 'admin', 'member');
create type token_purpose as enum ('verify_email', 'password_reset');

create table api_keys (
  id uuid not null,
  workspace_id uuid default reach_workspace() not null,
  project_id uuid not null,
  tenant_id uuid not null,
  env env not null,
  lookup_hash bytea not null,
  display_prefix text not null,
  name text,
  scopes text[] not null,
  meta json not null,
  rate_limits json,
  expires_at timestamp with time zone,
  vendor_expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  revoked_reason text,
  quarantined_at timestamp with time zone,
  quarantine_reason text,
  disabled_at timestamp with time zone,
  disabled_reason text,
  rotated_from uuid,
  imported boolean default false not null,
  created_at timestamp with time zone not null,
  change_id uuid not null,
  retired_at timestamp with time zone,
  shelf smallint generated always as ((
CASE env
    WHEN 'test'::env THEN 2
    ELSE 0
END +
CASE
    WHEN revoked_at IS NULL THEN 0
    ELSE 1
END)) stored not null,
  state_shelf smallint generated always as ((
CASE env
    WHEN 'test'::env THEN 4
    ELSE 0
END +
CASE
    WHEN revoked_at IS NOT NULL THEN 3
    WHEN quarantined_at IS NOT NULL THEN 1
    WHEN disabled_at IS NOT NULL THEN 2
    ELSE 0
END)) stored not null,
  ends_at timestamp with time zone generated always as (COALESCE(expires_at, '9999-12-31 23:59:59.999+00'::timestamp with time zone)) stored not null,
  meta_bytes integer generated always as (octet_length(meta::text)) stored not null,
  name_key text collate "C" generated always as (lower(name COLLATE "C")) stored,
  prefix_key text collate "C" generated always as (lower(display_prefix COLLATE "C")) stored not null,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_rotated_from_fkey FOREIGN KEY (rotated_from) REFERENCES api_keys(id),
  constraint api_keys_workspace_id_project_id_fkey FOREIGN KEY (workspace_id, project_id) REFERENCES projects(workspace_id, id),
  constraint api_keys_workspace_id_tenant_id_fkey FOREIGN KEY (workspace_id, tenant_id) REFERENCES tenants(workspace_id, id),
  constraint api_keys_lookup_hash_check CHECK (octet_length(lookup_hash) = 32)
);
CREATE INDEX api_keys_by_id ON api_keys USING btree (workspace_id, (shelf::real), id DESC, project_id, tenant_id);
CREATE INDEX api_keys_by_name ON api_keys USING btree (workspace_id, (shelf::real), name_key, created_at DESC, project_id, tenant_id);
CREATE INDEX api_keys_by_prefix ON api_keys USING btree (workspace_id, (shelf::real), prefix_key, created_at DESC, project_id, tenant_id);
CREATE INDEX api_keys_change ON api_keys USING btree (change_id, project_id, shelf, id);
CREATE INDEX api_keys_ends ON api_keys USING btree (workspace_id, (state_shelf::integer), ends_at);
CREATE INDEX api_keys_imported ON api_keys USING btree (workspace_id, project_id) WHERE imported AND revoked_at IS NULL AND disabled_at IS NULL AND retired_at IS NULL;
CREATE UNIQUE INDEX api_keys_native_hash ON api_keys USING btree (lookup_hash) WHERE NOT imported;
CREATE INDEX api_keys_newest ON api_keys USING btree (workspace_id, (shelf::integer), created_at DESC, id DESC);
CREATE INDEX api_keys_project ON api_keys USING btree (project_id, shelf, created_at DESC, id DESC);
CREATE INDEX api_keys_retirable ON api_keys USING btree (expires_at, id) WHERE revoked_at IS NULL AND retired_at IS NULL AND expires_at IS NOT NULL;
CREATE INDEX api_keys_state ON api_keys USING btree (workspace_id, state_shelf, created_at DESC, id DESC, project_id, tenant_id, ends_at);
CREATE INDEX api_keys_tenant ON api_keys USING btree (tenant_id, (shelf::bigint), created_at DESC, id DESC, project_id);
CREATE UNIQUE INDEX api_keys_workspace_hash ON api_keys USING btree (lookup_hash, workspace_id);
alter table api_keys enable row level security, force row level security;
create policy gate on api_keys for select to kr_gate using (true);
create policy within_env on api_keys as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (env IS NULL OR (env = ANY ((( SELECT reach_envs() AS reach_envs))::env[])));
create policy within_project_id on api_keys as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (
CASE
    WHEN (( SELECT reach_projects() AS reach_projects)) IS NULL THEN true
    ELSE project_id = ANY ((( SELECT reach_projects() AS reach_projects))::uuid[])
END);
create policy within_tenant_id on api_keys as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (
CASE
    WHEN (( SELECT reach_tenant() AS reach_tenant)) IS NULL THEN true
    ELSE tenant_id = (( SELECT reach_tenant() AS reach_tenant))
END);
create policy working on api_keys for select to kr_worker using (true);
create policy workspace on api_keys to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
CREATE CONSTRAINT TRIGGER audited AFTER INSERT OR UPDATE OF project_id, tenant_id, env, lookup_hash, display_prefix, name, scopes, meta, rate_limits, expires_at, vendor_expires_at, revoked_at, revoked_reason, quarantined_at, quarantine_reason, rotated_from, disabled_at, disabled_reason ON api_keys DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (first_in_change('audited'::text, new.workspace_id)) EXECUTE FUNCTION refuse_unaudited();
CREATE TRIGGER changed BEFORE INSERT OR UPDATE ON api_keys FOR EACH ROW EXECUTE FUNCTION mark_policy_change();
CREATE CONSTRAINT TRIGGER meta_added AFTER INSERT ON api_keys DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.meta_bytes > 1024) EXECUTE FUNCTION count_meta();
CREATE CONSTRAINT TRIGGER meta_changed AFTER UPDATE OF meta ON api_keys DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.meta_bytes <> old.meta_bytes) EXECUTE FUNCTION count_meta();
CREATE TRIGGER unretired BEFORE UPDATE ON api_keys FOR EACH ROW EXECUTE FUNCTION unretire();
CREATE CONSTRAINT TRIGGER versioned AFTER INSERT OR UPDATE ON api_keys DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (first_in_change('versioned'::text, new.project_id)) EXECUTE FUNCTION refuse_unversioned();
grant select (id, workspace_id, lookup_hash, revoked_at, quarantined_at, imported) on api_keys to kr_gate;
grant select on api_keys to kr_read;
grant select on api_keys to kr_record;
grant select (id, workspace_id, project_id, tenant_id, env, display_prefix, expires_at, revoked_at, disabled_at, created_at, retired_at, shelf), update (retired_at) on api_keys to kr_worker;
grant insert, select, update on api_keys to kr_write;

create table audit_anchor_places (
  place text not null,
  label text not null,
  number bigint not null,
  began_at timestamp with time zone not null,
  tried_at timestamp with time zone not null,
  delivered_at timestamp with time zone,
  last_error text,
  constraint audit_anchor_places_pkey PRIMARY KEY (place)
);
alter table audit_anchor_places enable row level security, force row level security;
create policy anchoring on audit_anchor_places to kr_worker using (true);
grant delete, insert, select, update on audit_anchor_places to kr_worker;

create table audit_anchors (
  workspace_id uuid not null,
  number bigint not null,
  seq bigint not null,
  hash text not null,
  occurred_at timestamp with time zone not null,
  count bigint not null,
  anchored_at timestamp with time zone not null,
  kid uuid not null,
  signature text not null,
  constraint audit_anchors_pkey PRIMARY KEY (workspace_id),
  constraint audit_anchors_hash_check CHECK (length(hash) = 64)
);
CREATE UNIQUE INDEX audit_anchors_number ON audit_anchors USING btree (number);
alter table audit_anchors enable row level security, force row level security;
create policy anchoring on audit_anchors to kr_worker using (true);
create policy workspace on audit_anchors to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
grant select on audit_anchors to kr_read;
grant insert, select, update on audit_anchors to kr_worker;

create table audit_heads (
  workspace_id uuid not null,
  seq bigint not null,
  hash text not null,
  occurred_at timestamp with time zone not null,
  change_id uuid not null,
  listens boolean default false not null,
  constraint audit_heads_pkey PRIMARY KEY (workspace_id),
  constraint audit_heads_hash_check CHECK (length(hash) = 64)
);
CREATE INDEX audit_heads_listening ON audit_heads USING btree (workspace_id) WHERE listens;
alter table audit_heads enable row level security, force row level security;
create policy anchoring on audit_heads for select to kr_worker using (true);
create policy noticing on audit_heads for select to kr_worker using (true);
create policy workspace on audit_heads to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
grant select on audit_heads to kr_read;
grant select (workspace_id, seq, hash, occurred_at, listens) on audit_heads to kr_worker;
grant select on audit_heads to kr_write;

create table audit_logs (
  id uuid not null,
  workspace_id uuid not null,
  seq bigint not null,
  occurred_at timestamp with time zone not null,
  actor_type text not null,
  actor_id text,
  action text not null,
  target_type text not null,
  target_id uuid not null,
  env env,
  payload text not null,
  prev_hash text not null,
  hash text not null,
  is_live boolean generated always as (NOT env IS DISTINCT FROM 'live'::env) stored not null,
  constraint audit_logs_pkey PRIMARY KEY (id),
  constraint audit_logs_seq UNIQUE (workspace_id, seq),
  constraint audit_logs_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX audit_logs_action ON audit_logs USING btree (workspace_id, action, is_live, (seq::double precision), actor_id);
CREATE INDEX audit_logs_actor ON audit_logs USING btree (workspace_id, actor_id, is_live, (seq::double precision), action);
CREATE INDEX audit_logs_minted ON audit_logs USING btree (workspace_id, actor_id, seq) WHERE action = ANY (ARRAY['secret_key.created'::text, 'secret_key.rotated'::text]);
CREATE INDEX audit_logs_not_live ON audit_logs USING btree (workspace_id, seq) WHERE env IS NULL OR env = 'test'::env;
CREATE INDEX audit_logs_target ON audit_logs USING btree (workspace_id, target_id, is_live, (seq::double precision), action, actor_id);
alter table audit_logs enable row level security, force row level security;
create policy anchoring on audit_logs for select to kr_worker using (true);
create policy within_env on audit_logs as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (env IS NULL OR (env = ANY ((( SELECT reach_envs() AS reach_envs))::env[])));
create policy within_projects on audit_logs as restrictive for select to kr_read using (
CASE
    WHEN (( SELECT reach_projects() AS reach_projects)) IS NULL THEN true
    ELSE (EXISTS ( SELECT
       FROM projects
      WHERE projects.id = audit_logs.target_id)) OR (EXISTS ( SELECT
       FROM api_keys
      WHERE api_keys.id = audit_logs.target_id)) OR (EXISTS ( SELECT
       FROM secret_keys
      WHERE secret_keys.id = audit_logs.target_id))
END);
create policy workspace on audit_logs to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
CREATE TRIGGER never_changed BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_logs FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
grant select on audit_logs to kr_read;
grant select (workspace_id, seq, hash) on audit_logs to kr_worker;
grant select on audit_logs to kr_write;

create table backup_runs (
  id uuid not null,
  kind text not null,
  backup_id text,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  passed boolean not null,
  reason text,
  bytes bigint,
  constraint backup_runs_pkey PRIMARY KEY (id),
  constraint backup_runs_kind_check CHECK (kind = ANY (ARRAY['backup'::text, 'restore_test'::text]))
);
CREATE INDEX backup_runs_newest ON backup_runs USING btree (kind, ended_at DESC);
alter table backup_runs enable row level security, force row level security;
create policy probing on backup_runs for select to kr_gate using (true);
create policy working on backup_runs to kr_worker using (true);
grant select on backup_runs to kr_gate;
grant delete, insert, select on backup_runs to kr_worker;

create table idempotency_records (
  workspace_id uuid default reach_workspace() not null,
  env env not null,
  scope_hash bytea not null,
  fingerprint bytea not null,
  lock_token text,
  locked_until timestamp with time zone not null,
  status integer,
  headers json,
  body bytea,
  sealed bytea,
  stored_bytes integer default 0 not null,
  expires_at timestamp with time zone not null,
  constraint idempotency_records_pkey PRIMARY KEY (workspace_id, env, scope_hash),
  constraint idempotency_records_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id),
  constraint idempotency_records_fingerprint_check CHECK (octet_length(fingerprint) = 32),
  constraint idempotency_records_scope_hash_check CHECK (octet_length(scope_hash) = 32)
);
CREATE INDEX idempotency_records_expired ON idempotency_records USING btree (expires_at);
alter table idempotency_records enable row level security, force row level security;
create policy purging on idempotency_records to kr_worker using (true);
create policy within_env on idempotency_records as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (env IS NULL OR (env = ANY ((( SELECT reach_envs() AS reach_envs))::env[])));
create policy workspace on idempotency_records to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
CREATE TRIGGER counted AFTER UPDATE ON idempotency_records FOR EACH ROW WHEN (new.stored_bytes <> old.stored_bytes) EXECUTE FUNCTION count_stored_response();
CREATE TRIGGER uncounted AFTER DELETE ON idempotency_records REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_removed_responses();
grant delete, insert, select, update on idempotency_records to kr_record;
grant delete, select (workspace_id, env, scope_hash, expires_at) on idempotency_records to kr_worker;

create table idempotency_totals (
  workspace_id uuid default reach_workspace() not null,
  env env not null,
  stripe smallint not null,
  bytes bigint not null,
  constraint idempotency_totals_pkey PRIMARY KEY (workspace_id, env, stripe),
  constraint idempotency_totals_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
) with (fillfactor=50);
alter table idempotency_totals enable row level security, force row level security;
create policy purging on idempotency_totals to kr_worker using (true);
create policy within_env on idempotency_totals as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (env IS NULL OR (env = ANY ((( SELECT reach_envs() AS reach_envs))::env[])));
create policy workspace on idempotency_totals to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
grant insert, select, update on idempotency_totals to kr_record;
grant select, update on idempotency_totals to kr_worker;

create table ingest_batches (
  workspace_id uuid default reach_workspace() not null,
  env env not null,
  batch_id uuid not null,
  accepted integer not null,
  events_dropped bigint not null,
  received_at timestamp with time zone not null,
  constraint ingest_batches_pkey PRIMARY KEY (workspace_id, batch_id, env)
);
CREATE INDEX ingest_batches_old ON ingest_batches USING btree (received_at);
alter table ingest_batches enable row level security, force row level security;
create policy purging on ingest_batches to kr_worker using (true);
create policy within_env on ingest_batches as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (env IS NULL OR (env = ANY ((( SELECT reach_envs() AS reach_envs))::env[])));
create policy workspace on ingest_batches to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
grant insert, select on ingest_batches to kr_record;
grant delete, select (workspace_id, env, batch_id, received_at) on ingest_batches to kr_worker;

create table ingest_budgets (
  workspace_id uuid default reach_workspace() not null,
  minute bigint not null,
  charged bigint not null,
  constraint ingest_budgets_pkey PRIMARY KEY (workspace_id)
) with (fillfactor=50);
alter table ingest_budgets enable row level security, force row level security;
create policy workspace on ingest_budgets to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
grant insert, select, update on ingest_budgets to kr_record;

create table invites (
  id uuid not null,
  workspace_id uuid default reach_workspace() not null,
  email text not null,
  role member_role not null,
  invited_by uuid,
  invited_by_key uuid,
  token_hash bytea not null,
  mail_token_hash bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint invites_pkey PRIMARY KEY (id),
  constraint invites_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES users(id),
  constraint invites_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id),
  constraint invites_mail_token_hash_check CHECK (octet_length(mail_token_hash) = 32),
  constraint invites_token_hash_check CHECK (octet_length(token_hash) = 32)
);
CREATE INDEX invites_by_address ON invites USING btree (lower(email));
CREATE INDEX invites_by_inviter ON invites USING btree (invited_by);
CREATE INDEX invites_mail_token ON invites USING btree (mail_token_hash);
CREATE INDEX invites_newest ON invites USING btree (workspace_id, created_at DESC, id DESC);
CREATE INDEX invites_token ON invites USING btree (token_hash);
alter table invites enable row level security, force row level security;
create policy gate on invites for select to kr_gate using (true);
create policy workspace on invites to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
CREATE CONSTRAINT TRIGGER audited AFTER INSERT OR UPDATE ON invites DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (first_in_change('audited'::text, new.workspace_id)) EXECUTE FUNCTION refuse_unaudited();
grant select (email, expires_at, accepted_at, revoked_at) on invites to kr_gate;
grant select on invites to kr_read;
grant insert, select, update on invites to kr_write;

create table job_leases (
  name text not null,
  holder uuid not null,
  leased_until timestamp with time zone not null,
  due_at timestamp with time zone not null,
  constraint job_leases_pkey PRIMARY KEY (name)
);
alter table job_leases enable row level security, force row level security;
create policy leasing on job_leases to kr_worker using (true);
grant insert, select, update on job_leases to kr_worker;

create table kept_response_totals (
  workspace_id uuid default reach_workspace() not null,
  env env not null,
  bytes bigint not null,
  constraint kept_response_totals_pkey PRIMARY KEY (workspace_id, env),
  constraint kept_response_totals_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
) with (fillfactor=50);
alter table kept_response_totals enable row level security, force row level security;
create policy purging on kept_response_totals to kr_worker using (true);
create policy within_env on kept_response_totals as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (env IS NULL OR (env = ANY ((( SELECT reach_envs() AS reach_envs))::env[])));
create policy workspace on kept_response_totals to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
grant select, update on kept_response_totals to kr_worker;

create table kept_responses (
  workspace_id uuid default reach_workspace() not null,
  env env not null,
  key_hash bytea not null,
  fingerprint bytea not null,
  response text not null,
  ends_secret_keys uuid[] not null,
  kept_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  is_test boolean generated always as (env = 'test'::env) stored not null,
  constraint kept_responses_pkey PRIMARY KEY (workspace_id, key_hash),
  constraint kept_responses_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id),
  constraint kept_responses_fingerprint_check CHECK (octet_length(fingerprint) = 32),
  constraint kept_responses_key_hash_check CHECK (octet_length(key_hash) = 32)
);
CREATE INDEX kept_responses_expired ON kept_responses USING btree (expires_at);
CREATE INDEX kept_responses_oldest ON kept_responses USING btree (workspace_id, is_test, kept_at);
alter table kept_responses enable row level security, force row level security;
create policy purging on kept_responses to kr_worker using (true);
create policy within_env on kept_responses as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (env IS NULL OR (env = ANY ((( SELECT reach_envs() AS reach_envs))::env[])));
create policy workspace on kept_responses to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
CREATE TRIGGER uncounted AFTER DELETE ON kept_responses REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION uncount_kept_responses();
grant delete, select (workspace_id, env, key_hash, response, expires_at) on kept_responses to kr_worker;

create table mail_outbox (
  id uuid not null,
  kind text not null,
  recipient text not null,
  params json not null,
  sealed_token bytea,
  created_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  attempts integer not null,
  claim uuid,
  claimed_until timestamp with time zone,
  sent_at timestamp with time zone,
  failed_at timestamp with time zone,
  last_error text,
  constraint mail_outbox_pkey PRIMARY KEY (id)
);
CREATE INDEX mail_outbox_due ON mail_outbox USING btree (due_at) WHERE sent_at IS NULL AND failed_at IS NULL;
alter table mail_outbox enable row level security, force row level security;
create policy queueing on mail_outbox for insert to kr_gate, kr_write with check (true);
create policy sending on mail_outbox to kr_worker using (true);
grant insert on mail_outbox to kr_gate;
grant delete, insert, select, update on mail_outbox to kr_worker;
grant insert on mail_outbox to kr_write;

create table memberships (
  id uuid not null,
  workspace_id uuid default reach_workspace() not null,
  user_id uuid not null,
  role member_role not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  removed_at timestamp with time zone,
  constraint memberships_pkey PRIMARY KEY (id),
  constraint memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint memberships_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE UNIQUE INDEX memberships_current ON memberships USING btree (workspace_id, user_id) WHERE removed_at IS NULL;
CREATE INDEX memberships_ever ON memberships USING btree (user_id, workspace_id);
CREATE INDEX memberships_of_user ON memberships USING btree (user_id, created_at) WHERE removed_at IS NULL;
CREATE INDEX memberships_oldest ON memberships USING btree (workspace_id, created_at, id) WHERE removed_at IS NULL;
CREATE INDEX memberships_owners ON memberships USING btree (workspace_id, created_at) WHERE removed_at IS NULL AND role = 'owner'::member_role;
alter table memberships enable row level security, force row level security;
create policy gate on memberships for select to kr_gate using (true);
create policy workspace on memberships to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
CREATE CONSTRAINT TRIGGER audited AFTER INSERT OR UPDATE ON memberships DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (first_in_change('audited'::text, new.workspace_id)) EXECUTE FUNCTION refuse_unaudited();
grant select on memberships to kr_gate;
grant select on memberships to kr_read;
grant insert, select, update on memberships to kr_write;

create table meta_totals (
  workspace_id uuid not null,
  bytes bigint not null,
  constraint meta_totals_pkey PRIMARY KEY (workspace_id),
  constraint meta_totals_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
) with (fillfactor=50);
alter table meta_totals enable row level security, force row level security;
create policy workspace on meta_totals to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));

create table migrations (
  name text not null,
  hash text not null,
  applied_at timestamp with time zone not null,
  constraint migrations_pkey PRIMARY KEY (name)
);

create table notice_marks (
  kind text not null,
  until timestamp with time zone not null,
  constraint notice_marks_pkey PRIMARY KEY (kind)
);
alter table notice_marks enable row level security, force row level security;
create policy noticing on notice_marks to kr_worker using (true);
grant insert, select, update on notice_marks to kr_worker;

create table one_time_tokens (
  id uuid not null,
  user_id uuid not null,
  purpose token_purpose not null,
  token_hash bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint one_time_tokens_pkey PRIMARY KEY (id),
  constraint one_time_tokens_hash UNIQUE (token_hash),
  constraint one_time_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint one_time_tokens_token_hash_check CHECK (octet_length(token_hash) = 32)
);
CREATE INDEX one_time_tokens_open ON one_time_tokens USING btree (user_id, purpose) WHERE ended_at IS NULL;
alter table one_time_tokens enable row level security, force row level security;
create policy gate on one_time_tokens to kr_gate using (true);
create policy purging on one_time_tokens to kr_worker using (true);
grant insert, select, update on one_time_tokens to kr_gate;
grant delete, select on one_time_tokens to kr_worker;

create table policy_changes (
  project_id uuid not null,
  version bigint not null,
  workspace_id uuid not null,
  change_id uuid not null,
  changed_at timestamp with time zone not null,
  constraint policy_changes_pkey PRIMARY KEY (project_id, version),
  constraint policy_changes_change_id_project_id_key UNIQUE (change_id, project_id),
  constraint policy_changes_workspace_id_project_id_fkey FOREIGN KEY (workspace_id, project_id) REFERENCES projects(workspace_id, id)
);
CREATE INDEX policy_changes_old ON policy_changes USING btree (changed_at);
alter table policy_changes enable row level security, force row level security;
create policy within_project_id on policy_changes as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (
CASE
    WHEN (( SELECT reach_projects() AS reach_projects)) IS NULL THEN true
    ELSE project_id = ANY ((( SELECT reach_projects() AS reach_projects))::uuid[])
END);
create policy working on policy_changes for select to kr_worker using (true);
create policy workspace on policy_changes to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
grant select on policy_changes to kr_read;
grant select on policy_changes to kr_record;
grant select on policy_changes to kr_worker;
grant select on policy_changes to kr_write;

create table policy_nodes (
  project_id uuid not null,
  node_id text not null,
  env_scope text not null,
  workspace_id uuid default reach_workspace() not null,
  acked_version bigint not null,
  sdk_name text,
  sdk_version text,
  first_seen_at timestamp with time zone,
  last_seen_at timestamp with time zone not null,
  node_name text,
  next_poll_by timestamp with time zone,
  replaced_at timestamp with time zone,
  left_at timestamp with time zone,
  scope_rank smallint generated always as (
CASE env_scope
    WHEN 'all'::text THEN 0
    WHEN 'live'::text THEN 1
    ELSE 2
END) stored not null,
  understands text[] default '{}'::text[] not null,
  secret_key_id uuid,
  constraint policy_nodes_pkey PRIMARY KEY (project_id, node_id, env_scope),
  constraint policy_nodes_workspace_id_project_id_fkey FOREIGN KEY (workspace_id, project_id) REFERENCES projects(workspace_id, id)
);
CREATE INDEX policy_nodes_newest ON policy_nodes USING btree (scope_rank, project_id, last_seen_at DESC NULLS LAST, node_id DESC);
CREATE INDEX policy_nodes_seen ON policy_nodes USING btree (last_seen_at);
alter table policy_nodes enable row level security, force row level security;
create policy within_project_id on policy_nodes as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (
CASE
    WHEN (( SELECT reach_projects() AS reach_projects)) IS NULL THEN true
    ELSE project_id = ANY ((( SELECT reach_projects() AS reach_projects))::uuid[])
END);
create policy working on policy_nodes to kr_worker using (true);
create policy workspace on policy_nodes to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
grant select on policy_nodes to kr_read;
grant delete, insert, select, update on policy_nodes to kr_record;
grant delete, select, update (last_seen_at) on policy_nodes to kr_worker;
grant select on policy_nodes to kr_write;

create table project_versions (
  project_id uuid not null,
  workspace_id uuid not null,
  version bigint not null,
  floor bigint not null,
  constraint project_versions_pkey PRIMARY KEY (project_id),
  constraint project_versions_workspace_id_project_id_fkey FOREIGN KEY (workspace_id, project_id) REFERENCES projects(workspace_id, id)
);
alter table project_versions enable row level security, force row level security;
create policy gate on project_versions for select to kr_gate using (true);
create policy within_project_id on project_versions as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (
CASE
    WHEN (( SELECT reach_projects() AS reach_projects)) IS NULL THEN true
    ELSE project_id = ANY ((( SELECT reach_projects() AS reach_projects))::uuid[])
END);
create policy workspace on project_versions to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
grant select (project_id, version) on project_versions to kr_gate;
grant select on project_versions to kr_read;
grant select on project_versions to kr_record;
grant select on project_versions to kr_write;

create table projects (
  id uuid not null,
  workspace_id uuid default reach_workspace() not null,
  name text not null,
  slug text not null,
  default_rate_limits json not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  name_key text collate "C" generated always as (
CASE
    WHEN deleted_at IS NULL THEN lower(name COLLATE "C")
    ELSE NULL::text
END) stored,
  slug_key text collate "C" generated always as (
CASE
    WHEN deleted_at IS NULL THEN slug COLLATE "C"
    ELSE NULL::text
END) stored,
  constraint projects_pkey PRIMARY KEY (id),
  constraint projects_workspace_id_id_key UNIQUE (workspace_id, id),
  constraint projects_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX projects_by_name ON projects USING btree (workspace_id, name_key, created_at DESC);
CREATE INDEX projects_by_slug ON projects USING btree (workspace_id, slug_key);
CREATE INDEX projects_newest ON projects USING btree (workspace_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX projects_slug ON projects USING btree (workspace_id, slug) WHERE deleted_at IS NULL;
alter table projects enable row level security, force row level security;
create policy gate on projects for select to kr_gate using (true);
create policy within_projects on projects as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (
CASE
    WHEN (( SELECT reach_projects() AS reach_projects)) IS NULL THEN true
    ELSE id = ANY ((( SELECT reach_projects() AS reach_projects))::uuid[])
END);
create policy workspace on projects to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
CREATE CONSTRAINT TRIGGER audited AFTER INSERT OR UPDATE ON projects DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (first_in_change('audited'::text, new.workspace_id)) EXECUTE FUNCTION refuse_unaudited();
CREATE TRIGGER versions AFTER INSERT ON projects FOR EACH ROW EXECUTE FUNCTION start_versions();
grant select (id, workspace_id, deleted_at) on projects to kr_gate;
grant select on projects to kr_read;
grant select on projects to kr_record;
grant insert, select, update on projects to kr_write;

create table recent_restores (
  restored_at timestamp with time zone not null,
  constraint recent_restores_pkey PRIMARY KEY (restored_at)
);
alter table recent_restores enable row level security, force row level security;
create policy measuring on recent_restores for select to kr_read using (true);
create policy working on recent_restores to kr_worker using (true);
grant select on recent_restores to kr_read;
grant delete, select on recent_restores to kr_worker;

create table secret_key_uses (
  secret_key_id uuid not null,
  workspace_id uuid not null,
  used_at timestamp with time zone not null,
  permissions jsonb,
  constraint secret_key_uses_pkey PRIMARY KEY (secret_key_id),
  constraint secret_key_uses_secret_key_id_fkey FOREIGN KEY (secret_key_id) REFERENCES secret_keys(id)
);
alter table secret_key_uses enable row level security, force row level security;
create policy gate on secret_key_uses to kr_gate using (true);
create policy workspace on secret_key_uses to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
grant insert, select, update on secret_key_uses to kr_gate;
grant select on secret_key_uses to kr_read;
grant select on secret_key_uses to kr_write;

create table secret_keys (
  id uuid not null,
  workspace_id uuid default reach_workspace() not null,
  env env not null,
  lookup_hash bytea not null,
  display_prefix text not null,
  name text,
  meta json not null,
  expires_at timestamp with time zone,
  vendor_expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  revoked_reason text,
  quarantined_at timestamp with time zone,
  quarantine_reason text,
  rotated_from uuid,
  created_at timestamp with time zone not null,
  authority member_role not null,
  created_by uuid,
  meta_bytes integer generated always as (octet_length(meta::text)) stored not null,
  permissions text[],
  project_ids uuid[],
  networks text[],
  constraint secret_keys_pkey PRIMARY KEY (id),
  constraint secret_keys_lookup_hash UNIQUE (lookup_hash),
  constraint secret_keys_rotated_from_fkey FOREIGN KEY (rotated_from) REFERENCES secret_keys(id),
  constraint secret_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id),
  constraint secret_keys_authority_check CHECK (authority <> 'member'::member_role),
  constraint secret_keys_lookup_hash_check CHECK (octet_length(lookup_hash) = 32),
  constraint secret_keys_project_ids_check CHECK (cardinality(project_ids) > 0)
);
CREATE INDEX secret_keys_ending ON secret_keys USING btree (expires_at, id) WHERE revoked_at IS NULL AND expires_at IS NOT NULL;
CREATE INDEX secret_keys_newest ON secret_keys USING btree (workspace_id, created_at DESC, id DESC);
alter table secret_keys enable row level security, force row level security;
create policy gate on secret_keys for select to kr_gate using (permissions IS NULL AND project_ids IS NULL AND networks IS NULL OR current_setting('kr.knows'::text, true) = 'limits'::text);
create policy noticing on secret_keys for select to kr_worker using (true);
create policy within_env on secret_keys as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (env IS NULL OR (env = ANY ((( SELECT reach_envs() AS reach_envs))::env[])));
create policy within_projects on secret_keys as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (
CASE
    WHEN (( SELECT reach_projects() AS reach_projects)) IS NULL THEN true
    ELSE COALESCE(project_ids <@ (( SELECT reach_projects() AS reach_projects)), false)
END);
create policy workspace on secret_keys to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
CREATE CONSTRAINT TRIGGER audited AFTER INSERT OR UPDATE ON secret_keys DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (first_in_change('audited'::text, new.workspace_id)) EXECUTE FUNCTION refuse_unaudited();
CREATE CONSTRAINT TRIGGER meta_added AFTER INSERT ON secret_keys DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.meta_bytes > 1024) EXECUTE FUNCTION count_meta();
CREATE CONSTRAINT TRIGGER meta_changed AFTER UPDATE OF meta ON secret_keys DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.meta_bytes <> old.meta_bytes) EXECUTE FUNCTION count_meta();
grant select (id, workspace_id, env, lookup_hash, expires_at, revoked_at, quarantined_at, authority, permissions, project_ids, networks) on secret_keys to kr_gate;
grant select on secret_keys to kr_read;
grant select (id, workspace_id, env, display_prefix, expires_at, revoked_at, permissions) on secret_keys to kr_worker;
grant insert, select, update on secret_keys to kr_write;

create table served_spans (
  id uuid not null,
  began_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  constraint served_spans_pkey PRIMARY KEY (id)
);
CREATE INDEX served_spans_ended ON served_spans USING btree (ended_at);
alter table served_spans enable row level security, force row level security;
create policy measuring on served_spans for select to kr_read, kr_record, kr_worker using (true);
create policy noting on served_spans to kr_gate using (true);
grant delete, insert, select, update on served_spans to kr_gate;
grant select on served_spans to kr_read;
grant select on served_spans to kr_record;
grant select on served_spans to kr_worker;

create table sessions (
  id uuid not null,
  user_id uuid not null,
  lookup_hash bytea not null,
  display_prefix text not null,
  active_workspace_id uuid,
  created_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  absolute_expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  user_agent text,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_lookup_hash UNIQUE (lookup_hash),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint sessions_lookup_hash_check CHECK (octet_length(lookup_hash) = 32)
);
CREATE INDEX sessions_of_user ON sessions USING btree (user_id, created_at DESC, id DESC) WHERE ended_at IS NULL;
alter table sessions enable row level security, force row level security;
create policy gate on sessions to kr_gate using (true);
create policy oneself on sessions to kr_write using (user_id = (( SELECT reach_user() AS reach_user)));
create policy purging on sessions to kr_worker using (true);
grant insert, select, update on sessions to kr_gate;
grant delete, select on sessions to kr_worker;
grant select (id, user_id, active_workspace_id), update (active_workspace_id) on sessions to kr_write;

create table signing_keys (
  id uuid not null,
  purpose text not null,
  generation integer not null,
  public_key text not null,
  sealed_private bytea,
  created_at timestamp with time zone not null,
  signs_from timestamp with time zone not null,
  ends_at timestamp with time zone,
  constraint signing_keys_pkey PRIMARY KEY (id),
  constraint signing_keys_generation UNIQUE (purpose, generation),
  constraint signing_keys_private CHECK (sealed_private IS NOT NULL OR (purpose = ANY (ARRAY['audit_anchor'::text, 'receipt'::text]))),
  constraint signing_keys_purpose_check CHECK (purpose = ANY (ARRAY['embed_token'::text, 'audit_anchor'::text, 'receipt'::text, 'policy_feed'::text]))
);
alter table signing_keys enable row level security, force row level security;
create policy keeping on signing_keys to kr_worker using (true);
create policy kept_for_good on signing_keys as restrictive for delete to kr_worker using (purpose <> 'audit_anchor'::text);
create policy kept_for_receipts on signing_keys as restrictive for delete to kr_worker using (purpose <> 'receipt'::text OR ends_at <= (app_now() - '365 days'::interval));
create policy knowing on signing_keys for select to kr_gate, kr_read using (true);
grant select on signing_keys to kr_gate;
grant select (id, purpose, signs_from, ends_at) on signing_keys to kr_read;
grant delete, insert, select, update on signing_keys to kr_worker;

create table tenant_month_totals (
  workspace_id uuid not null,
  months bigint not null,
  constraint tenant_month_totals_pkey PRIMARY KEY (workspace_id),
  constraint tenant_month_totals_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
) with (fillfactor=50);
alter table tenant_month_totals enable row level security, force row level security;
create policy workspace on tenant_month_totals to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
grant insert, select, update on tenant_month_totals to kr_record;

create table tenants (
  id uuid not null,
  workspace_id uuid default reach_workspace() not null,
  external_id text not null,
  name text,
  meta json not null,
  embed_epoch integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  meta_bytes integer generated always as (octet_length(meta::text)) stored not null,
  name_key text collate "C" generated always as (
CASE
    WHEN deleted_at IS NULL THEN lower(name COLLATE "C")
    ELSE NULL::text
END) stored,
  external_id_key text collate "C" generated always as (
CASE
    WHEN deleted_at IS NULL THEN lower(external_id COLLATE "C")
    ELSE NULL::text
END) stored,
  constraint tenants_pkey PRIMARY KEY (id),
  constraint tenants_workspace_id_id_key UNIQUE (workspace_id, id),
  constraint tenants_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX tenants_by_external_id ON tenants USING btree (workspace_id, external_id_key);
CREATE INDEX tenants_by_name ON tenants USING btree (workspace_id, name_key, created_at DESC);
CREATE UNIQUE INDEX tenants_external_id ON tenants USING btree (workspace_id, external_id) WHERE deleted_at IS NULL;
CREATE INDEX tenants_newest ON tenants USING btree (workspace_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
alter table tenants enable row level security, force row level security;
create policy gate on tenants for select to kr_gate using (true);
create policy workspace on tenants to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
CREATE CONSTRAINT TRIGGER audited AFTER INSERT OR UPDATE ON tenants DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (first_in_change('audited'::text, new.workspace_id)) EXECUTE FUNCTION refuse_unaudited();
CREATE CONSTRAINT TRIGGER meta_added AFTER INSERT ON tenants DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.meta_bytes > 1024) EXECUTE FUNCTION count_meta();
CREATE CONSTRAINT TRIGGER meta_changed AFTER UPDATE OF meta ON tenants DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.meta_bytes <> old.meta_bytes) EXECUTE FUNCTION count_meta();
grant select (id, workspace_id, embed_epoch, deleted_at) on tenants to kr_gate;
grant select on tenants to kr_read;
grant select on tenants to kr_record;
grant insert, select, update on tenants to kr_write;

create table traffic_spans (
  workspace_id uuid default reach_workspace() not null,
  env env not null,
  first_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  constraint traffic_spans_pkey PRIMARY KEY (workspace_id, env)
) with (fillfactor=50);
alter table traffic_spans enable row level security, force row level security;
create policy within_env on traffic_spans as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (env IS NULL OR (env = ANY ((( SELECT reach_envs() AS reach_envs))::env[])));
create policy workspace on traffic_spans to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
grant select on traffic_spans to kr_read;
grant insert, select, update on traffic_spans to kr_record;

create table usage_denials (
  workspace_id uuid default reach_workspace() not null,
  project_id uuid not null,
  env env not null,
  hour timestamp with time zone not null,
  reason text not null,
  requests double precision not null,
  constraint usage_denials_pkey PRIMARY KEY (workspace_id, hour, project_id, env, reason)
) with (fillfactor=50);
CREATE INDEX usage_denials_old ON usage_denials USING btree (hour);
alter table usage_denials enable row level security, force row level security;
create policy purging on usage_denials to kr_worker using (true);
create policy within_env on usage_denials as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (env IS NULL OR (env = ANY ((( SELECT reach_envs() AS reach_envs))::env[])));
create policy within_project_id on usage_denials as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (
CASE
    WHEN (( SELECT reach_projects() AS reach_projects)) IS NULL THEN true
    ELSE project_id = ANY ((( SELECT reach_projects() AS reach_projects))::uuid[])
END);
create policy workspace on usage_denials to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
grant select on usage_denials to kr_read;
grant insert, select, update on usage_denials to kr_record;
grant delete, select (workspace_id, project_id, env, hour, reason) on usage_denials to kr_worker;

create table usage_hours (
  workspace_id uuid default reach_workspace() not null,
  project_id uuid not null,
  env env not null,
  hour timestamp with time zone not null,
  requests double precision not null,
  errors double precision not null,
  degraded double precision not null,
  latency double precision[] not null,
  constraint usage_hours_pkey PRIMARY KEY (workspace_id, hour, project_id, env)
) with (fillfactor=50);
CREATE INDEX usage_hours_old ON usage_hours USING btree (hour);
alter table usage_hours enable row level security, force row level security;
create policy purging on usage_hours to kr_worker using (true);
create policy within_env on usage_hours as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (env IS NULL OR (env = ANY ((( SELECT reach_envs() AS reach_envs))::env[])));
create policy within_project_id on usage_hours as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (
CASE
    WHEN (( SELECT reach_projects() AS reach_projects)) IS NULL THEN true
    ELSE project_id = ANY ((( SELECT reach_projects() AS reach_projects))::uuid[])
END);
create policy workspace on usage_hours to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
grant select on usage_hours to kr_read;
grant insert, select, update on usage_hours to kr_record;
grant delete, select (workspace_id, project_id, env, hour) on usage_hours to kr_worker;

create table usage_key_days (
  workspace_id uuid default reach_workspace() not null,
  key_id uuid not null,
  day date not null,
  requests double precision not null,
  errors double precision not null,
  last_at timestamp with time zone,
  constraint usage_key_days_pkey PRIMARY KEY (key_id, day)
) with (fillfactor=50);
CREATE INDEX usage_key_days_old ON usage_key_days USING btree (day, key_id);
alter table usage_key_days enable row level security, force row level security;
create policy purging on usage_key_days to kr_worker using (true);
create policy workspace on usage_key_days to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
grant select on usage_key_days to kr_read;
grant insert, select, update on usage_key_days to kr_record;
grant delete, select (key_id, day, last_at) on usage_key_days to kr_worker;
grant select on usage_key_days to kr_write;

create table usage_tenant_months (
  workspace_id uuid default reach_workspace() not null,
  tenant_id uuid not null,
  project_id uuid not null,
  env env not null,
  month date not null,
  request_count double precision not null,
  first_seen_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  constraint usage_tenant_months_pkey PRIMARY KEY (workspace_id, month, tenant_id, project_id, env)
) with (fillfactor=50);
alter table usage_tenant_months enable row level security, force row level security;
create policy within_env on usage_tenant_months as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (env IS NULL OR (env = ANY ((( SELECT reach_envs() AS reach_envs))::env[])));
create policy within_project_id on usage_tenant_months as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (
CASE
    WHEN (( SELECT reach_projects() AS reach_projects)) IS NULL THEN true
    ELSE project_id = ANY ((( SELECT reach_projects() AS reach_projects))::uuid[])
END);
create policy within_tenant_id on usage_tenant_months as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (
CASE
    WHEN (( SELECT reach_tenant() AS reach_tenant)) IS NULL THEN true
    ELSE tenant_id = (( SELECT reach_tenant() AS reach_tenant))
END);
create policy workspace on usage_tenant_months to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
CREATE TRIGGER counted AFTER INSERT ON usage_tenant_months REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_tenant_months();
CREATE TRIGGER span_of_known AFTER UPDATE ON usage_tenant_months REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION widen_traffic_spans();
CREATE TRIGGER span_of_new AFTER INSERT ON usage_tenant_months REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION widen_traffic_spans();
grant select on usage_tenant_months to kr_read;
grant insert, select, update on usage_tenant_months to kr_record;

create table users (
  id uuid not null,
  email text not null,
  email_key text not null,
  email_verified_at timestamp with time zone,
  name text,
  password_hash text not null,
  last_workspace_id uuid,
  created_at timestamp with time zone not null,
  last_login_at timestamp with time zone,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_email_key UNIQUE (email_key)
);
alter table users enable row level security, force row level security;
create policy fellows on users for select to kr_read, kr_write using (id = (( SELECT reach_user() AS reach_user)) OR (EXISTS ( SELECT
   FROM memberships m
  WHERE m.user_id = users.id)));
create policy gate on users to kr_gate using (true);
create policy oneself on users for update to kr_write using (id = (( SELECT reach_user() AS reach_user)));
grant insert, select, update on users to kr_gate;
grant select (id, email, email_key, email_verified_at, name) on users to kr_read;
grant select (id, email, email_key, email_verified_at, name), update (email_verified_at, last_workspace_id) on users to kr_write;

create table void_sign_ups (
  id uuid not null,
  email text not null,
  email_key text not null,
  email_verified_at timestamp with time zone,
  name text,
  password_hash text not null,
  last_workspace_id uuid,
  created_at timestamp with time zone not null,
  last_login_at timestamp with time zone,
  constraint void_sign_ups_pkey PRIMARY KEY (id),
  constraint void_sign_ups_email_key UNIQUE (email_key)
);
alter table void_sign_ups enable row level security, force row level security;
create policy gate on void_sign_ups to kr_gate using (true);
create policy purging on void_sign_ups to kr_worker using (true);
grant insert, select (email_key) on void_sign_ups to kr_gate;
grant delete, select (id, created_at) on void_sign_ups to kr_worker;

create table webhook_deliveries (
  id uuid not null,
  workspace_id uuid default reach_workspace() not null,
  endpoint_id uuid not null,
  env env,
  type text not null,
  audit_id uuid,
  notice json,
  state text default 'pending'::text not null,
  attempts smallint default 0 not null,
  due_at timestamp with time zone not null,
  claim uuid,
  claimed_until timestamp with time zone,
  last_status smallint,
  last_error text,
  duration_ms integer,
  created_at timestamp with time zone not null,
  delivered_at timestamp with time zone,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_check CHECK ((audit_id IS NULL) <> (notice IS NULL)),
  constraint webhook_deliveries_state_check CHECK (state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))
);
CREATE INDEX webhook_deliveries_by_state ON webhook_deliveries USING btree (endpoint_id, state, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries USING btree (endpoint_id, due_at) WHERE state = 'pending'::text;
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries USING btree (endpoint_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_old ON webhook_deliveries USING brin (created_at);
alter table webhook_deliveries enable row level security, force row level security;
create policy sending on webhook_deliveries to kr_worker using (true);
create policy within_env on webhook_deliveries as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (COALESCE(env, 'live'::env) = ANY ((( SELECT reach_envs() AS reach_envs))::env[]));
create policy workspace on webhook_deliveries to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
grant select on webhook_deliveries to kr_read;
grant delete, select, update on webhook_deliveries to kr_worker;
grant insert, select, update (state, attempts, due_at, claim, claimed_until, last_status, last_error, duration_ms, delivered_at) on webhook_deliveries to kr_write;

create table webhook_endpoints (
  id uuid not null,
  workspace_id uuid default reach_workspace() not null,
  env env,
  url text not null,
  events text[] not null,
  description text,
  sealed_secret bytea not null,
  sealed_old_secret bytea,
  old_secret_until timestamp with time zone,
  disabled_at timestamp with time zone,
  disabled_reason text,
  failing_since timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint webhook_endpoints_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id),
  constraint webhook_endpoints_check CHECK ((sealed_old_secret IS NULL) = (old_secret_until IS NULL)),
  constraint webhook_endpoints_check1 CHECK (disabled_at IS NOT NULL OR disabled_reason IS NULL),
  constraint webhook_endpoints_events_check CHECK (cardinality(events) >= 1 AND cardinality(events) <= 50),
  constraint webhook_endpoints_url_check CHECK (length(url) <= 2048)
);
CREATE INDEX webhook_endpoints_deleted ON webhook_endpoints USING btree (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX webhook_endpoints_newest ON webhook_endpoints USING btree (workspace_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
alter table webhook_endpoints enable row level security, force row level security;
create policy sending on webhook_endpoints to kr_worker using (true);
create policy within_env on webhook_endpoints as restrictive to kr_gate, kr_owner, kr_read, kr_record, kr_worker, kr_write using (COALESCE(env, 'live'::env) = ANY ((( SELECT reach_envs() AS reach_envs))::env[]));
create policy workspace on webhook_endpoints to public using (workspace_id = (( SELECT reach_workspace() AS reach_workspace)));
CREATE CONSTRAINT TRIGGER audited AFTER INSERT OR UPDATE OF env, url, events, description, sealed_secret, sealed_old_secret, old_secret_until, disabled_at, disabled_reason, created_at, updated_at, deleted_at ON webhook_endpoints DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (first_in_change('audited'::text, new.workspace_id)) EXECUTE FUNCTION refuse_unaudited();
CREATE TRIGGER listened AFTER INSERT OR UPDATE OF disabled_at, deleted_at ON webhook_endpoints FOR EACH ROW EXECUTE FUNCTION note_listeners();
grant select on webhook_endpoints to kr_read;
grant select, update (failing_since) on webhook_endpoints to kr_worker;
grant insert, select, update (env, url, events, description, sealed_secret, sealed_old_secret, old_secret_until, disabled_at, disabled_reason, failing_since, updated_at, deleted_at) on webhook_endpoints to kr_write;

create table worker_beats (
  worker_id uuid not null,
  seen_at timestamp with time zone not null,
  constraint worker_beats_pkey PRIMARY KEY (worker_id)
);
alter table worker_beats enable row level security, force row level security;
create policy beating on worker_beats to kr_worker using (true);
create policy probing on worker_beats for select to kr_gate using (true);
grant select on worker_beats to kr_gate;
grant delete, insert, select, update on worker_beats to kr_worker;

create table workspaces (
  id uuid not null,
  name text not null,
  slug text not null,
  billing_email text,
  embed_origins text[] not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  created_by uuid,
  constraint workspaces_pkey PRIMARY KEY (id),
  constraint workspaces_slug UNIQUE (slug)
);
alter table workspaces enable row level security, force row level security;
create policy anchoring on workspaces for select to kr_worker using (true);
create policy gate on workspaces for select to kr_gate using (true);
create policy workspace on workspaces to public using (id = (( SELECT reach_workspace() AS reach_workspace)));
CREATE CONSTRAINT TRIGGER audited AFTER INSERT OR UPDATE ON workspaces DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (first_in_change('audited'::text, new.id)) EXECUTE FUNCTION refuse_unaudited();
grant select (id, name, slug, embed_origins, created_at, created_by) on workspaces to kr_gate;
grant select on workspaces to kr_read;
grant select (id) on workspaces to kr_worker;
grant insert, select, update on workspaces to kr_write;

CREATE OR REPLACE FUNCTION add_counts(one double precision[], other double precision[])
 RETURNS double precision[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ARRAY(SELECT (COALESCE(pair.a, (0)::double precision) + COALESCE(pair.b, (0)::double precision)) FROM UNNEST(add_counts.one, add_counts.other) WITH ORDINALITY pair(a, b, at) ORDER BY pair.at);

CREATE OR REPLACE FUNCTION app_now()
 RETURNS timestamp with time zone
 LANGUAGE sql
RETURN date_trunc('milliseconds'::text, (clock_timestamp() + (((COALESCE(NULLIF(current_setting('kr.clock_shift_ms'::text, true), ''::text), '0'::text))::bigint)::double precision * '00:00:00.001'::interval)));

CREATE OR REPLACE PROCEDURE audit(IN target regclass, IN workspace_column name DEFAULT 'workspace_id'::name)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('create constraint trigger audited after insert or update on %s
    deferrable initially deferred for each row
    when (first_in_change(''audited'', new.%I)) execute function refuse_unaudited()',
    target, workspace_column);
end $procedure$;

CREATE OR REPLACE FUNCTION audit_chain_page(after_seq bigint, page_size integer)
 RETURNS SETOF audit_logs
 LANGUAGE plpgsql
AS $function$
declare
  envs constant text := current_setting('kr.envs');
begin
  perform set_config('kr.envs', 'live,test', true);
  return query select * from audit_logs where seq > after_seq order by seq limit page_size;
  perform set_config('kr.envs', envs, true);
end $function$;

CREATE OR REPLACE FUNCTION audit_seq_at(moment timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  envs   constant text := current_setting('kr.envs');
  low    bigint := 1;
  high   bigint := 1;
  middle bigint;
  row_at record;
begin
  perform set_config('kr.envs', 'live,test', true);
  select seq + 1 into high from audit_heads;
  while low < high loop
    middle := (low + high) / 2;
    select seq, occurred_at into row_at from audit_logs where seq >= middle order by seq limit 1;
    if not found or row_at.occurred_at >= moment then
      high := middle;
    else
      low := row_at.seq + 1;
    end if;
  end loop;
  perform set_config('kr.envs', envs, true);
  return low;
end $function$;

CREATE OR REPLACE PROCEDURE back_up(IN target regclass)
 LANGUAGE plpgsql
AS $procedure$
declare
  reader constant text := role_of('kr_' || 'backup');
begin
  execute format('grant select on %s to %I', target, reader);
  if (select relrowsecurity from pg_class where oid = target) then
    execute format('create policy backup on %s for select to %I using (true)', target, reader);
  end if;
end $procedure$;

CREATE OR REPLACE PROCEDURE bound_meta(IN target regclass)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('create constraint trigger meta_added after insert on %s
    deferrable initially deferred for each row
    when (new.meta_bytes > 1024) execute function count_meta()', target);
  execute format('create constraint trigger meta_changed after update of meta on %s
    deferrable initially deferred for each row
    when (new.meta_bytes <> old.meta_bytes) execute function count_meta()', target);
end $procedure$;

CREATE OR REPLACE FUNCTION charge_ingest(cost bigint, quota bigint)
 RETURNS TABLE(allowed boolean, charged bigint, reset_ms integer, moment timestamp with time zone)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  asked_at    constant timestamptz := app_now();
  this_minute constant bigint := floor(extract(epoch from asked_at) / 60);
  known       ingest_budgets;
begin
  insert into ingest_budgets as budget (minute, charged)
    select this_minute, cost where cost <= quota
    on conflict (workspace_id) do update
      set minute = case when budget.minute = this_minute + 1 then budget.minute else this_minute end,
          charged = excluded.charged + case
            when budget.minute between this_minute and this_minute + 1 then budget.charged else 0 end
      where budget.minute not between this_minute and this_minute + 1
        or budget.charged + excluded.charged <= quota
    returning * into known;
  allowed := found;
  if not allowed then
    select * into known from ingest_budgets where minute between this_minute and this_minute + 1;
  end if;
  moment := app_now();
  charged := coalesce(known.charged, 0);
  reset_ms := greatest(0, ceil(
    (coalesce(known.minute, this_minute) + 1) * 60000 - extract(epoch from moment) * 1000));
  return next;
end $function$;
revoke execute on function charge_ingest from public;
grant execute on function charge_ingest to kr_record;

CREATE OR REPLACE FUNCTION claim_idempotency(wanted_env env, wanted_scope bytea, wanted_print bytea, token text, lock_ms integer, ttl_ms integer)
 RETURNS TABLE(state text, stolen boolean, retry_after_ms bigint, status integer, headers json, body bytea, sealed bytea)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  moment timestamptz;
  lock   constant interval := lock_ms * interval '1 millisecond';
  ttl    constant interval := ttl_ms * interval '1 millisecond';
  known  idempotency_records;
begin
  loop
    moment := app_now();
    insert into idempotency_records
      (env, scope_hash, fingerprint, lock_token, locked_until, expires_at)
      values (wanted_env, wanted_scope, wanted_print, token, moment + lock, moment + ttl)
      on conflict do nothing;
    if found then
      return query select 'execute', false, null::bigint, null::int, null::json, null::bytea,
        null::bytea;
      return;
    end if;

    select * into known from idempotency_records
      where env = wanted_env and scope_hash = wanted_scope;
    continue when not found; -- released or purged in between
    moment := app_now();

    if known.expires_at > moment then
      if known.fingerprint <> wanted_print then
        return query select 'mismatch', false, null::bigint, null::int, null::json, null::bytea,
          null::bytea;
        return;
      elsif known.status is not null then
        return query select 'replay', false, null::bigint,
          known.status, known.headers, known.body, known.sealed;
        return;
      elsif known.locked_until > moment then
        return query select 'in_progress', false,
          ceil(extract(epoch from known.locked_until - moment) * 1000)::bigint,
          null::int, null::json, null::bytea, null::bytea;
        return;
      end if;
    end if;

    update idempotency_records
      set fingerprint = wanted_print, lock_token = token, locked_until = moment + lock,
          status = null, headers = null, body = null, sealed = null, stored_bytes = 0,
          expires_at = moment + ttl
      where env = wanted_env and scope_hash = wanted_scope
        and lock_token is not distinct from known.lock_token
        and locked_until = known.locked_until and expires_at = known.expires_at;
    if found then
      return query select 'execute', known.expires_at > moment,
        null::bigint, null::int, null::json, null::bytea, null::bytea;
      return;
    end if;
  end loop;
end $function$;
revoke execute on function claim_idempotency from public;
grant execute on function claim_idempotency to kr_record;

CREATE OR REPLACE FUNCTION close_change(actor_type text, actor_id text, projects_hit uuid[], floors_hit uuid[], row_ids uuid[], actions text[], target_types text[], target_ids uuid[], envs text[], payloads text[])
 RETURNS TABLE(project_id uuid, version bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'keyrail', 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_variable
declare
  workspace constant uuid := reach_workspace();
  reach     constant text := coalesce(current_setting('kr.envs', true), '');
  head      audit_heads%rowtype;
  canonical text;
begin
  if cardinality(row_ids) = 0 then
    raise exception 'a change has no audit row' using errcode = 'KR005';
  end if;
  return query select * from next_versions(projects_hit, floors_hit);

  select * into head from audit_heads where workspace_id = workspace for update;
  if not found then
    head := row(workspace, 0, repeat('0', 64), '-infinity'::timestamptz, current_change(), false);
    insert into audit_heads select head.*;
  end if;

  for i in 1 .. array_length(row_ids, 1) loop
    head.seq := head.seq + 1;
    head.occurred_at := greatest(head.occurred_at, app_now());
    -- Keys in the order that RFC 8785 requires. to_json() quotes text as ECMAScript does.
    canonical := '{"action":' || to_json(actions[i])
      || ',"actor_id":' || coalesce(to_json(actor_id)::text, 'null')
      || ',"actor_type":' || to_json(actor_type)
      || ',"id":"' || row_ids[i]
      || '","occurred_at":"' || iso_millis(head.occurred_at)
      || '","payload":' || payloads[i]
      || ',"prev_hash":"' || head.hash
      || '","seq":' || head.seq
      || ',"target_id":"' || target_ids[i]
      || '","target_type":' || to_json(target_types[i])
      || ',"workspace_id":"' || workspace || '"}';
    insert into audit_logs values (row_ids[i], workspace, head.seq, head.occurred_at, actor_type,
      actor_id, actions[i], target_types[i], target_ids[i], envs[i]::env, payloads[i], head.hash,
      encode(sha256(convert_to(canonical, 'UTF8')), 'hex'))
      returning hash into head.hash;
  end loop;

  if head.listens then
    perform set_config('kr.envs', 'live,test', true);
    insert into webhook_deliveries
      (id, workspace_id, endpoint_id, env, type, audit_id, due_at, created_at)
    select gen_random_uuid(), workspace, e.id, e.env, event.action, event.id, (select app_now()),
      (select app_now())
    from unnest(row_ids, actions, envs) as event (id, action, env)
    cross join lateral listeners_of(event.action, event.env::env) e;
    perform set_config('kr.envs', reach, true);
  end if;

  update audit_heads set seq = head.seq, hash = head.hash, occurred_at = head.occurred_at,
    change_id = current_change() where workspace_id = workspace;
end $function$;
revoke execute on function close_change from public;
grant execute on function close_change to kr_write;

CREATE OR REPLACE FUNCTION count_created_workspaces(person uuid)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  caller  constant text := current_setting('role');
  created int;
begin
  perform set_config('role', role_of('kr_' || 'gate'), true);
  perform from users where id = person for no key update;
  select count(*) into created
    from memberships m join workspaces w on w.id = m.workspace_id
    where m.user_id = person and m.role = 'owner' and m.removed_at is null
      and (w.created_by = person or (w.created_by is null and w.created_at = m.created_at));
  perform set_config('role', caller, true);
  return created;
end $function$;

CREATE OR REPLACE FUNCTION count_meta()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'keyrail', 'pg_catalog', 'pg_temp'
AS $function$
declare
  added int := counted_meta_bytes(new.meta_bytes);
  total bigint;
begin
  if tg_op = 'UPDATE' then
    added := added - counted_meta_bytes(old.meta_bytes);
  end if;
  insert into meta_totals as known (workspace_id, bytes) values (new.workspace_id, added)
    on conflict (workspace_id) do update set bytes = known.bytes + excluded.bytes
    returning bytes into total;
  if added > 0 and total > meta_bytes_max() then
    raise exception 'the meta of a workspace exceeds its limit' using errcode = 'KR007';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_removed_responses()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  freed record;
begin
  for freed in
    select workspace_id, env, idempotency_stripe(scope_hash) as stripe, sum(stored_bytes) as bytes
    from removed where stored_bytes <> 0 group by 1, 2, 3 order by 1, 2, 3
  loop
    update idempotency_totals set bytes = idempotency_totals.bytes - freed.bytes
      where workspace_id = freed.workspace_id and env = freed.env and stripe = freed.stripe;
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_stored_response()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into idempotency_totals as known (workspace_id, env, stripe, bytes)
    values (new.workspace_id, new.env, idempotency_stripe(new.scope_hash),
      new.stored_bytes - old.stored_bytes)
    on conflict (workspace_id, env, stripe) do update set bytes = known.bytes + excluded.bytes;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_tenant_months()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into tenant_month_totals as known (workspace_id, months)
    select workspace_id, count(*) from added group by workspace_id
    on conflict (workspace_id) do update set months = known.months + excluded.months;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION counted_meta_bytes(meta_bytes integer)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
RETURN GREATEST((meta_bytes - 1024), 0);

CREATE OR REPLACE FUNCTION current_change()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('kr.change'::text, true), ''::text))::uuid;

CREATE OR REPLACE FUNCTION delivery_id(event text, endpoint_id uuid)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE
RETURN (encode(SUBSTRING(sha256(convert_to(((event || ' '::text) || endpoint_id), 'UTF8'::name)) FROM 1 FOR 16), 'hex'::text))::uuid;

CREATE OR REPLACE FUNCTION env_of_api_key(key_id uuid)
 RETURNS env
 LANGUAGE plpgsql
AS $function$
declare
  envs  constant text := current_setting('kr.envs');
  found_env env;
begin
  perform set_config('kr.envs', 'live,test', true);
  select env into found_env from api_keys where id = key_id;
  perform set_config('kr.envs', envs, true);
  return found_env;
end $function$;

CREATE OR REPLACE FUNCTION env_of_secret_key(key_id uuid)
 RETURNS env
 LANGUAGE plpgsql
AS $function$
declare
  envs  constant text := current_setting('kr.envs');
  found_env env;
begin
  perform set_config('kr.envs', 'live,test', true);
  select env into found_env from secret_keys where id = key_id;
  perform set_config('kr.envs', envs, true);
  return found_env;
end $function$;

CREATE OR REPLACE FUNCTION env_of_webhook_delivery(delivery_id uuid)
 RETURNS env
 LANGUAGE plpgsql
AS $function$
declare
  envs  constant text := current_setting('kr.envs');
  found_env env;
begin
  perform set_config('kr.envs', 'live,test', true);
  select coalesce(env, 'live') into found_env from webhook_deliveries where id = delivery_id;
  perform set_config('kr.envs', envs, true);
  return found_env;
end $function$;

CREATE OR REPLACE FUNCTION env_of_webhook_endpoint(endpoint_id uuid)
 RETURNS env
 LANGUAGE plpgsql
AS $function$
declare
  envs  constant text := current_setting('kr.envs');
  found_env env;
begin
  perform set_config('kr.envs', 'live,test', true);
  select coalesce(env, 'live') into found_env
    from webhook_endpoints where id = endpoint_id and deleted_at is null;
  perform set_config('kr.envs', envs, true);
  return found_env;
end $function$;

CREATE OR REPLACE FUNCTION features_of(key api_keys)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '{}'::text[];

CREATE OR REPLACE PROCEDURE feed_policy(IN target regclass)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('create trigger changed before insert or update on %s
    for each row execute function mark_policy_change()', target);
  execute format('create constraint trigger versioned after insert or update on %s
    deferrable initially deferred for each row
    when (first_in_change(''versioned'', new.project_id)) execute function refuse_unversioned()',
    target);
end $procedure$;

CREATE OR REPLACE FUNCTION find_kept_response(own_key bytea)
 RETURNS TABLE(running boolean, fingerprint bytea, response text, ends_secret_keys uuid[])
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'keyrail', 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
begin
  if not pg_try_advisory_xact_lock(
    ('x' || encode(substring(own_key from 1 for 8), 'hex'))::bit(64)::bigint
  ) then
    return query select true, null::bytea, null::text, null::uuid[];
    return;
  end if;
  return query select false, kept.fingerprint, kept.response, kept.ends_secret_keys
    from kept_responses kept
    where kept.workspace_id = reach_workspace() and kept.key_hash = own_key
      and kept.expires_at > app_now();
end $function$;
revoke execute on function find_kept_response from public;
grant execute on function find_kept_response to kr_write;

CREATE OR REPLACE FUNCTION first_in_change(guard text, workspace uuid)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  mark constant text := coalesce(current_setting('kr.change', true), '') || workspace;
begin
  if current_setting('kr.guard_' || guard, true) = mark then
    return false;
  end if;
  perform set_config('kr.guard_' || guard, mark, true);
  return true;
end $function$;

CREATE OR REPLACE FUNCTION idempotency_stripe(scope bytea)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE
RETURN ((get_byte(scope, 0) & 15))::smallint;

CREATE OR REPLACE FUNCTION indexed_matches(kind text, part text)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE ROWS 100
AS $function$
begin
  if to_regprocedure('trigram_matches(text, text)') is not null then
    return query execute 'select * from trigram_matches($1, $2)' using kind, part;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION iso_millis(moment timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN to_char((moment AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text);

CREATE OR REPLACE FUNCTION keep_response(own_env env, own_key bytea, own_fingerprint bytea, own_response text, ended uuid[], kept_ms integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'keyrail', 'pg_catalog', 'pg_temp'
AS $function$
declare
  workspace constant uuid := reach_workspace();
  for_test  constant boolean := own_env = 'test';
  total     bigint;
begin
  delete from kept_responses
    where workspace_id = workspace and key_hash = own_key and expires_at <= app_now();
  insert into kept_responses
    (env, key_hash, fingerprint, response, ends_secret_keys, kept_at, expires_at)
    values (own_env, own_key, own_fingerprint, own_response, ended,
      app_now(), app_now() + kept_ms * interval '1 millisecond');
  insert into kept_response_totals as known (env, bytes)
    values (own_env, kept_bytes(own_response))
    on conflict (workspace_id, env) do update set bytes = known.bytes + excluded.bytes
    returning bytes into total;
  while total > kept_bytes_max() loop
    -- Skips records that the worker is deleting, because the worker waits for the lock on the
    -- total.
    delete from kept_responses where workspace_id = workspace and key_hash = any (array(
      select key_hash from kept_responses
      where workspace_id = workspace and is_test = for_test and key_hash <> own_key
      order by kept_at limit 100 for update skip locked));
    exit when not found;
    select bytes into total from kept_response_totals
      where workspace_id = workspace and env = own_env;
  end loop;
end $function$;
revoke execute on function keep_response from public;
grant execute on function keep_response to kr_write;

CREATE OR REPLACE FUNCTION kept_bytes(response text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
RETURN (octet_length(response) + 512);

CREATE OR REPLACE FUNCTION kept_bytes_max()
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
RETURN ((128 * 1024) * (1024)::bigint);

CREATE OR REPLACE FUNCTION listeners_of(event_type text, event_env env)
 RETURNS SETOF webhook_endpoints
 LANGUAGE sql
 STABLE
AS $function$
  select e.* from webhook_endpoints e
  where e.workspace_id = reach_workspace() and e.disabled_at is null and e.deleted_at is null
    and (e.env is null or event_env is null or e.env = event_env)
    and e.events && array['*', split_part(event_type, '.', 1) || '.*', event_type]
$function$;

CREATE OR REPLACE FUNCTION mark_policy_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.change_id := current_change();
  return new;
end $function$;

CREATE OR REPLACE FUNCTION meta_bytes_max()
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
RETURN ((256 * 1024) * (1024)::bigint);

CREATE OR REPLACE FUNCTION moment_of(ms double precision)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
RETURN (to_timestamp((0)::double precision) + (ms * '00:00:00.001'::interval));

CREATE OR REPLACE FUNCTION narrowed_roles()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN (SELECT string_agg(quote_ident(role_of(('kr_'::text || name.name))), ', '::text) AS string_agg FROM unnest(ARRAY['owner'::text, 'read'::text, 'write'::text, 'record'::text, 'gate'::text, 'worker'::text]) name(name));

CREATE OR REPLACE FUNCTION next_versions(projects_hit uuid[], floors_hit uuid[])
 RETURNS TABLE(project_id uuid, version bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'keyrail', 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_variable
begin
  foreach project_id in array (select coalesce(array_agg(hit order by hit), '{}')
                               from unnest(projects_hit) hit) loop
    update project_versions v
      set version = v.version + 1,
          floor = case when v.project_id = any (floors_hit) then v.version + 1 else v.floor end
      where v.project_id = next_versions.project_id
      returning v.version into version;
    if not found then
      raise exception 'a policy change named a project out of reach' using errcode = 'KR004';
    end if;
    insert into policy_changes
      values (project_id, version, reach_workspace(), current_change(), app_now());
    return next;
  end loop;
end $function$;
revoke execute on function next_versions from public;
grant execute on function next_versions to kr_worker;

CREATE OR REPLACE FUNCTION note_listeners()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'keyrail', 'pg_catalog', 'pg_temp'
AS $function$
declare
  envs constant text := coalesce(current_setting('kr.envs', true), '');
begin
  perform set_config('kr.envs', 'live,test', true);
  update audit_heads set listens = true where workspace_id = new.workspace_id;
  update audit_heads set listens = exists (
      select from webhook_endpoints
      where workspace_id = new.workspace_id and disabled_at is null and deleted_at is null)
    where workspace_id = new.workspace_id;
  if tg_op = 'INSERT' and (select count(*) from webhook_endpoints
      where workspace_id = new.workspace_id and deleted_at is null) > webhook_endpoints_max() then
    raise exception 'a workspace has too many webhook endpoints' using errcode = 'KR009';
  end if;
  perform set_config('kr.envs', envs, true);
  return null;
end $function$;
revoke execute on function note_listeners from public;

CREATE OR REPLACE PROCEDURE protect(IN target regclass, IN workspace_column name DEFAULT 'workspace_id'::name)
 LANGUAGE plpgsql
AS $procedure$
declare
  narrowing record;
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format('create policy workspace on %s using (%I = (select reach_workspace()))',
    target, workspace_column);
  for narrowing in
    select * from (values
      ('env',        'env is null or env = any ((select reach_envs())::env[])'),
      -- CASE instead of OR: after an OR the planner expects almost no rows to be left, and sorts
      -- all of them instead of reading the first two hundred from an index.
      ('tenant_id',  'case when (select reach_tenant()) is null then true
                           else tenant_id = (select reach_tenant()) end'),
      ('project_id', 'case when (select reach_projects()) is null then true
                           else project_id = any ((select reach_projects())::uuid[]) end')
    ) as rule (column_name, condition)
    where exists (select from pg_attribute
                  where attrelid = target and attname = rule.column_name and not attisdropped)
  loop
    execute format('create policy %I on %s as restrictive to %s using (%s)',
      'within_' || narrowing.column_name, target, narrowed_roles(), narrowing.condition);
  end loop;
  call back_up(target);
end $procedure$;

CREATE OR REPLACE FUNCTION prune_policy_changes(project uuid, up_to bigint, most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'keyrail', 'pg_catalog', 'pg_temp'
AS $function$
declare
  pruned int;
begin
  update project_versions set floor = greatest(floor, up_to) where project_id = project;
  delete from policy_changes where (project_id, version) in (
    select project_id, version from policy_changes
    where project_id = project and version <= up_to order by version limit most);
  get diagnostics pruned = row_count;
  return pruned;
end $function$;
revoke execute on function prune_policy_changes from public;
grant execute on function prune_policy_changes to kr_worker;

CREATE OR REPLACE FUNCTION queue_event(event text, event_type text, event_env env, own_audit_id uuid, own_notice json)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'keyrail', 'pg_catalog', 'pg_temp'
AS $function$
declare
  envs constant text := coalesce(current_setting('kr.envs', true), '');
begin
  perform set_config('kr.envs', 'live,test', true);
  insert into webhook_deliveries
    (id, workspace_id, endpoint_id, env, type, audit_id, notice, due_at, created_at)
  select delivery_id(event, e.id), e.workspace_id, e.id, e.env, event_type, own_audit_id,
    own_notice, app_now(), app_now()
  from listeners_of(event_type, event_env) e
  on conflict (id) do nothing;
  perform set_config('kr.envs', envs, true);
end $function$;
revoke execute on function queue_event from public;
grant execute on function queue_event to kr_worker;

CREATE OR REPLACE FUNCTION reach_envs()
 RETURNS env[]
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (string_to_array(COALESCE(current_setting('kr.envs'::text, true), ''::text), ','::text))::env[];

CREATE OR REPLACE FUNCTION reach_project()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('kr.project'::text, true), ''::text))::uuid;

CREATE OR REPLACE FUNCTION reach_projects()
 RETURNS uuid[]
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (string_to_array(NULLIF(current_setting('kr.project'::text, true), ''::text), ','::text))::uuid[];

CREATE OR REPLACE FUNCTION reach_tenant()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('kr.tenant'::text, true), ''::text))::uuid;

CREATE OR REPLACE FUNCTION reach_user()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('kr.user'::text, true), ''::text))::uuid;

CREATE OR REPLACE FUNCTION reach_workspace()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('kr.workspace'::text, true), ''::text))::uuid;

CREATE OR REPLACE FUNCTION record_usage(batches uuid[], sender_env env, accepted_counts integer[], dropped_counts bigint[], key_ids uuid[], days date[], day_requests double precision[], day_errors double precision[], day_lasts double precision[], tenant_months json, hours json, denials json)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  noted int;
begin
  if cardinality(batches) > 0 then
    begin
      insert into ingest_batches (env, batch_id, accepted, events_dropped, received_at)
        select sender_env, batch_id, accepted, dropped, app_now()
        from unnest(batches, accepted_counts, dropped_counts) as added (batch_id, accepted, dropped)
        order by batch_id
        on conflict do nothing;
      get diagnostics noted = row_count;
      if noted < cardinality(batches) then
        raise exception 'a batch has been recorded before' using errcode = 'KR006';
      end if;
    exception when sqlstate 'KR006' then
      return false; -- the receipts of the other batches are undone
    end;
  end if;

  insert into usage_key_days as known (key_id, day, requests, errors, last_at)
    select key_id, day, requests, errors, moment_of(last_ms)
    from unnest(key_ids, days, day_requests, day_errors, day_lasts)
      as added (key_id, day, requests, errors, last_ms)
    order by key_id, day
    on conflict (key_id, day) do update
      set requests = known.requests + excluded.requests,
          errors = known.errors + excluded.errors,
          last_at = greatest(known.last_at, excluded.last_at);

  insert into usage_tenant_months as known
      (tenant_id, project_id, env, month, request_count, first_seen_at, last_seen_at)
    select tenant_id, project_id, env, month, request_count,
      moment_of(first_seen_ms), moment_of(last_seen_ms)
    from json_to_recordset(tenant_months) as added (
      tenant_id uuid, project_id uuid, env env, month date,
      request_count float8, first_seen_ms float8, last_seen_ms float8)
    order by month, tenant_id, project_id, env
    on conflict (workspace_id, month, tenant_id, project_id, env) do update
      set request_count = known.request_count + excluded.request_count,
          first_seen_at = least(known.first_seen_at, excluded.first_seen_at),
          last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at);

  insert into usage_denials as known (project_id, env, hour, reason, requests)
    select project_id, env, moment_of(hour_ms), reason, requests
    from json_to_recordset(denials) as added (
      project_id uuid, env env, hour_ms float8, reason text, requests float8)
    order by hour_ms, project_id, env, reason
    on conflict (workspace_id, hour, project_id, env, reason) do update
      set requests = known.requests + excluded.requests;

  insert into usage_hours as known (project_id, env, hour, requests, errors, degraded, latency)
    select project_id, env, moment_of(hour_ms), requests, errors, degraded, latency
    from json_to_recordset(hours) as added (
      project_id uuid, env env, hour_ms float8,
      requests float8, errors float8, degraded float8, latency float8[])
    order by hour_ms, project_id, env
    on conflict (workspace_id, hour, project_id, env) do update
      set requests = known.requests + excluded.requests,
          errors = known.errors + excluded.errors,
          degraded = known.degraded + excluded.degraded,
          latency = add_counts(known.latency, excluded.latency);

  return true;
end $function$;
revoke execute on function record_usage from public;
grant execute on function record_usage to kr_record;

CREATE OR REPLACE FUNCTION record_usage_within(months_max bigint, batches uuid[], sender_env env, accepted_counts integer[], dropped_counts bigint[], key_ids uuid[], days date[], day_requests double precision[], day_errors double precision[], day_lasts double precision[], tenant_months json, hours json, denials json)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  months_before bigint;
  months_after  bigint;
  recorded      boolean;
begin
  select coalesce(sum(months), 0) into months_before from tenant_month_totals;
  recorded := record_usage(batches, sender_env, accepted_counts, dropped_counts,
    key_ids, days, day_requests, day_errors, day_lasts, tenant_months, hours, denials);
  select coalesce(sum(months), 0) into months_after from tenant_month_totals;
  if months_after > months_before and months_after > months_max then
    raise exception 'the tenant months of a workspace exceed their limit' using errcode = 'KR008';
  end if;
  return recorded;
end $function$;
revoke execute on function record_usage_within from public;
grant execute on function record_usage_within to kr_record;

CREATE OR REPLACE FUNCTION refuse_meta_beyond(bytes_before integer, bytes_after integer)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'keyrail', 'pg_catalog', 'pg_temp'
AS $function$
declare
  added constant int := counted_meta_bytes(bytes_after) - counted_meta_bytes(bytes_before);
  total constant bigint :=
    coalesce((select bytes from meta_totals where workspace_id = reach_workspace()), 0);
begin
  if added > 0 and total + added > meta_bytes_max() then
    raise exception 'the meta of a workspace exceeds its limit' using errcode = 'KR007';
  end if;
end $function$;
revoke execute on function refuse_meta_beyond from public;
grant execute on function refuse_meta_beyond to kr_read;

CREATE OR REPLACE FUNCTION refuse_rewriting()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'audit rows are never changed' using errcode = 'KR003';
end $function$;

CREATE OR REPLACE FUNCTION refuse_unaudited()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  workspace uuid;
begin
  if tg_table_name = 'workspaces' then
    workspace := new.id;
  else
    workspace := new.workspace_id;
  end if;
  if not exists (select from audit_heads
                 where workspace_id = workspace and change_id = current_change()) then
    raise exception 'a change of % was not audited', tg_table_name using errcode = 'KR001';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION refuse_unversioned()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from policy_changes
                 where change_id = new.change_id and project_id = new.project_id) then
    raise exception 'a policy change of % got no version', tg_table_name using errcode = 'KR002';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION role_of(door text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (door || '_5'::text);

CREATE OR REPLACE FUNCTION served_since(wanted interval)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
RETURN COALESCE((SELECT max((measured.began_at + (measured.served - served_since.wanted))) AS max FROM (SELECT lower(span.span) AS began_at, sum((upper(span.span) - lower(span.span))) OVER (ORDER BY (lower(span.span)) DESC) AS served FROM unnest((SELECT range_agg(tstzrange(served_spans.began_at, served_spans.ended_at)) AS range_agg FROM served_spans WHERE (served_spans.ended_at <= app_now()))) span(span)) measured WHERE (measured.served >= served_since.wanted)), '-infinity'::timestamp with time zone);

CREATE OR REPLACE FUNCTION start_versions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'keyrail', 'pg_catalog', 'pg_temp'
AS $function$
begin
  insert into project_versions values (new.id, new.workspace_id, 1, 1);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION uncount_kept_responses()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  freed record;
begin
  for freed in
    select workspace_id, env, sum(kept_bytes(response)) as bytes
    from removed group by 1, 2 order by 1, 2
  loop
    update kept_response_totals set bytes = kept_response_totals.bytes - freed.bytes
      where workspace_id = freed.workspace_id and env = freed.env;
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION unknown_ids(project_ids uuid[], tenant_ids uuid[], key_ids uuid[])
 RETURNS TABLE(kind text, id uuid, is_beyond boolean)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  envs   constant text := current_setting('kr.envs');
  unseen constant uuid[] := array(
    select unnest(key_ids) except select id from api_keys where id = any (key_ids));
begin
  return query
    select 'project', unknown.*, false from (
      select unnest(project_ids) except select id from projects where id = any (project_ids)
    ) unknown;
  return query
    select 'tenant', unknown.*, false from (
      select unnest(tenant_ids) except select id from tenants where id = any (tenant_ids)
    ) unknown;
  if cardinality(unseen) > 0 then
    perform set_config('kr.envs', 'live,test', true);
    return query
      select 'API key', wanted, exists (select from api_keys where api_keys.id = wanted)
      from unnest(unseen) wanted;
    perform set_config('kr.envs', envs, true);
  end if;
end $function$;
revoke execute on function unknown_ids from public;
grant execute on function unknown_ids to kr_record;

CREATE OR REPLACE FUNCTION unretire()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.expires_at is distinct from old.expires_at then
    new.retired_at := null;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION webhook_endpoints_max()
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
RETURN 20;

CREATE OR REPLACE FUNCTION widen_traffic_spans()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into traffic_spans as known (workspace_id, env, first_at, last_at)
    select workspace_id, env, min(first_seen_at), max(last_seen_at)
    from written group by workspace_id, env order by workspace_id, env
    on conflict (workspace_id, env) do update
      set first_at = least(known.first_at, excluded.first_at),
          last_at = greatest(known.last_at, excluded.last_at)
      where excluded.first_at < known.first_at or excluded.last_at > known.last_at;
  return null;
end $function$;
