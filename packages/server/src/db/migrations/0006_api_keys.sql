-- The keys that vendors issue to their tenants.
create table api_keys (
  id                uuid        primary key,
  workspace_id      uuid        not null default reach_workspace(),
  project_id        uuid        not null,
  tenant_id         uuid        not null,
  env               env         not null,
  lookup_hash       bytea       not null check (octet_length(lookup_hash) = 32),
  display_prefix    text        not null,
  name              text,
  scopes            text[]      not null,
  meta              json        not null,
  rate_limits       json,                  -- null: the project's default; []: no limits
  expires_at        timestamptz,           -- the earliest of all expiries set for the key
  vendor_expires_at timestamptz,           -- set by the vendor: a rotated key inherits it
  revoked_at        timestamptz,
  revoked_reason    text,
  quarantined_at    timestamptz,
  quarantine_reason text,
  disabled_at       timestamptz,           -- null: enabled. Nodes don't get disabled keys
  disabled_reason   text,
  rotated_from      uuid        references api_keys,
  imported          boolean     not null default false, -- issued by another product
  created_at        timestamptz not null,
  change_id         uuid        not null,  -- the change that wrote it last: see policy_changes
  -- When the feed dropped the key, long after it had expired. A new expiry brings the key back.
  retired_at        timestamptz,

  -- Columns for lists. Under row level security an index cannot be searched by env, because
  -- comparing an enum is not leakproof, nor by an expression, so the values are stored. First the
  -- list partition: 0 live, 1 live and revoked, 2 test, 3 test and revoked.
  shelf             smallint    not null generated always as
    (case env when 'test' then 2 else 0 end + case when revoked_at is null then 0 else 1 end) stored,
  -- The state apart from the expiry: 0 none, 1 quarantined, 2 disabled, 3 revoked; plus 4 in test.
  -- Together with ends_at it determines every state.
  state_shelf       smallint    not null generated always as
    (case env when 'test' then 4 else 0 end
      + case when revoked_at is not null then 3
             when quarantined_at is not null then 1
             when disabled_at is not null then 2
             else 0 end) stored,
  -- expires_at, or the latest time that a request can contain.
  ends_at           timestamptz not null generated always as
    (coalesce(expires_at, timestamptz '9999-12-31 23:59:59.999+00')) stored,
  meta_bytes        int         not null generated always as (octet_length(meta::text)) stored,
  name_key          text collate "C" generated always as (lower(name collate "C")) stored,
  prefix_key        text collate "C" not null
    generated always as (lower(display_prefix collate "C")) stored,

  foreign key (workspace_id, project_id) references projects (workspace_id, id),
  foreign key (workspace_id, tenant_id) references tenants (workspace_id, id)
);

-- Lists of a workspace, a project or a tenant, newest first. The list partition has a different
-- type in each index, and a statement that compares it as one of these types can use only that
-- index. So the planner never reads all keys of a workspace to list those of a project. The last
-- index also contains the project, so it serves both filters together.
create index api_keys_newest on api_keys (workspace_id, (shelf::int), created_at desc, id desc);
create index api_keys_project on api_keys (project_id, shelf, created_at desc, id desc);
-- A delta reads the keys of one change, project and list partition in order. An import may write a
-- million keys in one change.
create index api_keys_change on api_keys (change_id, project_id, shelf, id);
create index api_keys_tenant
  on api_keys (tenant_id, (shelf::bigint), created_at desc, id desc, project_id);
-- Searches: among equal values, the newest key first. No other index has the list partition in this
-- type. Project and tenant come last, so both filters are checked in the index.
create index api_keys_by_name
  on api_keys (workspace_id, (shelf::real), name_key, created_at desc, project_id, tenant_id);
create index api_keys_by_prefix
  on api_keys (workspace_id, (shelf::real), prefix_key, created_at desc, project_id, tenant_id);
create index api_keys_by_id
  on api_keys (workspace_id, (shelf::real), id desc, project_id, tenant_id);
-- Whether a project has active imported keys. Only then do its nodes look up strings that aren't in
-- Keyrail's format.
create index api_keys_imported on api_keys (workspace_id, project_id)
  where imported and revoked_at is null and disabled_at is null and retired_at is null;
-- Lists by state, newest first; all their filters are checked in the index.
create index api_keys_state
  on api_keys (workspace_id, state_shelf, created_at desc, id desc, project_id, tenant_id, ends_at);
-- Keys in one state are adjacent, so counting them reads no other keys. state_shelf has a different
-- type here, so that no list uses this index.
create index api_keys_ends on api_keys (workspace_id, (state_shelf::int), ends_at);
create index api_keys_retirable on api_keys (expires_at, id)
  where revoked_at is null and retired_at is null and expires_at is not null;
-- The hash of an imported key is unique in its workspace only: otherwise one workspace could
-- prevent another from importing a key by importing its hash first. The hash of a key created by
-- Keyrail is unique in the deployment. The scanner looks up hashes in all workspaces, so the index
-- begins with them.
create unique index api_keys_workspace_hash on api_keys (lookup_hash, workspace_id);
create unique index api_keys_native_hash on api_keys (lookup_hash) where not imported;

call protect('api_keys');
call feed_policy('api_keys');
-- The feed retires keys without an audit row. Every other change to a key has one.
create constraint trigger audited after insert or update of project_id, tenant_id, env,
  lookup_hash, display_prefix, name, scopes, meta, rate_limits, expires_at, vendor_expires_at,
  revoked_at, revoked_reason, quarantined_at, quarantine_reason, rotated_from, disabled_at,
  disabled_reason on api_keys
  deferrable initially deferred for each row
  when (first_in_change('audited', new.workspace_id)) execute function refuse_unaudited();

create function unretire() returns trigger language plpgsql as $$
begin
  if new.expires_at is distinct from old.expires_at then
    new.retired_at := null;
  end if;
  return new;
end $$;
create trigger unretired before update on api_keys for each row execute function unretire();

grant select on api_keys to kr_read, kr_record;
grant select, insert, update on api_keys to kr_write;
-- Before the reach is known, the gate finds the keys that a scanner report is about. A leaked
-- string may match several keys; they are processed in a fixed order.
create policy gate on api_keys for select to kr_gate using (true);
grant select (id, workspace_id, lookup_hash, revoked_at, quarantined_at, imported)
  on api_keys to kr_gate;
-- The worker finds due keys in all workspaces, then changes one workspace at a time.
create policy working on api_keys for select to kr_worker using (true);
grant select (id, workspace_id, project_id, tenant_id, env, display_prefix, expires_at, revoked_at,
  disabled_at, created_at, retired_at, shelf) on api_keys to kr_worker;
grant update (retired_at) on api_keys to kr_worker;

create function env_of_api_key(key_id uuid) returns env language plpgsql as $$
declare
  envs  constant text := current_setting('kr.envs');
  found_env env;
begin
  perform set_config('kr.envs', 'live,test', true);
  select env into found_env from api_keys where id = key_id;
  perform set_config('kr.envs', envs, true);
  return found_env;
end $$;
