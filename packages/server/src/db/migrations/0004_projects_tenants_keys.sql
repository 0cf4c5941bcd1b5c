-- What the vendor protects, for whom, and with which keys.
create table projects (
  id                  uuid        primary key,
  workspace_id        uuid        not null default reach_workspace() references workspaces,
  name                text        not null,
  slug                text        not null,
  default_rate_limits json        not null,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  deleted_at          timestamptz,          -- set: gone for everyone but the feed, usage and audit
  unique (workspace_id, id)
);
create unique index projects_slug on projects (workspace_id, slug) where deleted_at is null;
create index projects_newest on projects (workspace_id, created_at desc, id desc)
  where deleted_at is null;
call protect('projects');
call audit('projects');
grant select on projects to kr_read, kr_record;
grant select, insert, update on projects to kr_write;

-- The policy version of each project, apart from its row: creating a key holds the project's row
-- against deletion while others do the same, and the version is counted up by all of them.
create table project_versions (
  project_id   uuid   primary key,
  workspace_id uuid   not null,
  version      bigint not null,
  floor        bigint not null, -- a node that has less than this gets a snapshot, not a delta
  foreign key (workspace_id, project_id) references projects (workspace_id, id)
);
call protect('project_versions');
grant select on project_versions to kr_read, kr_write, kr_record;

create function start_versions() returns trigger language plpgsql
security definer set search_path = keyrail, pg_catalog as $$
begin
  insert into project_versions values (new.id, new.workspace_id, 1, 1);
  return null;
end $$;
create trigger versions after insert on projects
  for each row execute function start_versions();

-- Which change became which version. One row however many keys the change touched.
create table policy_changes (
  project_id   uuid   not null,
  version      bigint not null,
  workspace_id uuid   not null,
  change_id    uuid   not null,
  changed_at   timestamptz not null,
  primary key (project_id, version),
  unique (change_id, project_id),
  foreign key (workspace_id, project_id) references projects (workspace_id, id)
);
call protect('policy_changes');
grant select on policy_changes to kr_read, kr_write, kr_record;

create table tenants (
  id           uuid        primary key,
  workspace_id uuid        not null default reach_workspace() references workspaces,
  external_id  text        not null,
  name         text,
  meta         json        not null,
  embed_epoch  int         not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  deleted_at   timestamptz,
  unique (workspace_id, id)
);
create unique index tenants_external_id on tenants (workspace_id, external_id)
  where deleted_at is null;
create index tenants_newest on tenants (workspace_id, created_at desc, id desc)
  where deleted_at is null;
call protect('tenants');
call audit('tenants');
grant select on tenants to kr_read, kr_record;
grant select, insert, update on tenants to kr_write;

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
  rate_limits       json,                  -- null inherits the project's default, [] means none
  expires_at        timestamptz,           -- when it ends: the earliest of all that was decided
  vendor_expires_at timestamptz,           -- what the vendor asked for: a successor inherits this
  revoked_at        timestamptz,
  revoked_reason    text,
  quarantined_at    timestamptz,
  quarantine_reason text,
  rotated_from      uuid        references api_keys,
  change_id         uuid        not null,  -- the change that wrote it last; see policy_changes
  created_at        timestamptz not null,
  -- Where lists look: 0 live, 1 live and revoked, 2 test, 3 test and revoked. Comparing an enum is
  -- not leakproof, so under row level security no index can be searched by env itself.
  shelf             smallint    not null generated always as
    (case env when 'test' then 2 else 0 end + case when revoked_at is null then 0 else 1 end) stored,
  constraint api_keys_lookup_hash unique (lookup_hash),
  foreign key (workspace_id, project_id) references projects (workspace_id, id),
  foreign key (workspace_id, tenant_id) references tenants (workspace_id, id)
);
-- Newest first on each shelf: of everything, of a project, of a tenant. The first holds the shelf
-- in another type, so that no list of a project is ever tempted to walk through everybody's keys;
-- the last ends in the project, so that both filters together are answered from the index.
create index api_keys_newest on api_keys (workspace_id, (shelf::int), created_at desc, id desc);
create index api_keys_project on api_keys (project_id, shelf, created_at desc, id desc);
create index api_keys_tenant on api_keys (tenant_id, shelf, created_at desc, id desc, project_id);
create index api_keys_change on api_keys (change_id);
call protect('api_keys');
call audit('api_keys');
call feed_policy('api_keys');
grant select on api_keys to kr_read, kr_record;
grant select, insert, update on api_keys to kr_write;

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
