-- Projects, which are the vendor's APIs, and tenants, which are the vendor's customers.
--
-- Lists with `q` find rows by the start of a string, ignoring the case of ASCII letters. The folded
-- text is a column (name_key and the like): a function in a condition is not leakproof, so under
-- row level security no index could be searched by it. Collation "C" compares bytes, so all strings
-- with the same prefix are adjacent, and its lower() gives the same result on every system.
create table projects (
  id                  uuid        primary key,
  workspace_id        uuid        not null default reach_workspace() references workspaces,
  name                text        not null,
  slug                text        not null,
  default_rate_limits json        not null,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  deleted_at          timestamptz, -- set: hidden from all but the feed, usage and the audit log
  -- Null for deleted rows, which no search finds.
  name_key text collate "C"
    generated always as (case when deleted_at is null then lower(name collate "C") end) stored,
  slug_key text collate "C"
    generated always as (case when deleted_at is null then slug collate "C" end) stored,
  unique (workspace_id, id)
);
create unique index projects_slug on projects (workspace_id, slug) where deleted_at is null;
create index projects_newest on projects (workspace_id, created_at desc, id desc)
  where deleted_at is null;
-- Not partial: without statistics, the planner assumes that a partial index is small, and reads all
-- of it to look up an ID.
create index projects_by_name on projects (workspace_id, name_key, created_at desc);
create index projects_by_slug on projects (workspace_id, slug_key);
call protect('projects');
call audit('projects');
grant select on projects to kr_read, kr_record;
grant select, insert, update on projects to kr_write;
-- Before the reach is known, the gate checks whether the project of an embed token still exists.
create policy gate on projects for select to kr_gate using (true);
grant select (id, workspace_id, deleted_at) on projects to kr_gate;

-- The policy version of each project. It is stored separately from the project: transactions that
-- create keys lock the project's row against deletion. They share that lock, but each of them
-- raises the version.
create table project_versions (
  project_id   uuid   primary key,
  workspace_id uuid   not null,
  version      bigint not null,
  floor        bigint not null, -- a node with an older version gets a snapshot instead of a delta
  foreign key (workspace_id, project_id) references projects (workspace_id, id)
);
call protect('project_versions');
grant select on project_versions to kr_read, kr_write, kr_record;
-- Processes that hold requests until a version changes may read the version of any project.
create policy gate on project_versions for select to kr_gate using (true);
grant select (project_id, version) on project_versions to kr_gate;

-- The temporary schema is listed last. If it weren't listed, it would be searched first, and a
-- caller's table of the same name would be used instead of Keyrail's. The same goes for all
-- functions that run with their owner's rights.
create function start_versions() returns trigger language plpgsql
security definer set search_path = keyrail, pg_catalog, pg_temp as $$
begin
  insert into project_versions values (new.id, new.workspace_id, 1, 1);
  return null;
end $$;
create trigger versions after insert on projects
  for each row execute function start_versions();

-- The version that each change got in each project: one row, no matter how many keys changed.
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
create index policy_changes_old on policy_changes (changed_at);
call protect('policy_changes');
create policy working on policy_changes for select to kr_worker using (true);
grant select on policy_changes to kr_read, kr_write, kr_record, kr_worker;

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
  meta_bytes   int         not null generated always as (octet_length(meta::text)) stored,
  name_key text collate "C"
    generated always as (case when deleted_at is null then lower(name collate "C") end) stored,
  external_id_key text collate "C"
    generated always as (case when deleted_at is null then lower(external_id collate "C") end) stored,
  unique (workspace_id, id)
);
create unique index tenants_external_id on tenants (workspace_id, external_id)
  where deleted_at is null;
create index tenants_newest on tenants (workspace_id, created_at desc, id desc)
  where deleted_at is null;
create index tenants_by_name on tenants (workspace_id, name_key, created_at desc);
create index tenants_by_external_id on tenants (workspace_id, external_id_key);
call protect('tenants');
call audit('tenants');
grant select on tenants to kr_read, kr_record;
grant select, insert, update on tenants to kr_write;
create policy gate on tenants for select to kr_gate using (true);
grant select (id, workspace_id, embed_epoch, deleted_at) on tenants to kr_gate;
