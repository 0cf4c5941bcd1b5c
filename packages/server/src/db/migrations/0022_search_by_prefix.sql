-- Lists with `q` find rows by the start of a field, ignoring the case of ASCII letters. The folded
-- text is a column: a function in a condition is not leakproof, so under row level security no
-- index could be searched by it. Collation "C" compares bytes, so all texts with one start are
-- neighbours, and its lower() gives the same result on every system.
alter table api_keys
  add column name_key text collate "C" generated always as (lower(name collate "C")) stored,
  add column prefix_key text collate "C" not null
    generated always as (lower(display_prefix collate "C")) stored;
-- Null for deleted rows, which no search finds.
alter table tenants
  add column name_key text collate "C"
    generated always as (case when deleted_at is null then lower(name collate "C") end) stored,
  add column external_id_key text collate "C"
    generated always as (case when deleted_at is null then lower(external_id collate "C") end) stored;
alter table projects
  add column name_key text collate "C"
    generated always as (case when deleted_at is null then lower(name collate "C") end) stored,
  add column slug_key text collate "C"
    generated always as (case when deleted_at is null then slug collate "C" end) stored;

-- Of equal texts, the newest first. The list partition is of a type that no other index uses, so
-- that only searches use these. Project and tenant come last: both filters are read from the index.
create index api_keys_by_name
  on api_keys (workspace_id, (shelf::real), name_key, created_at desc, project_id, tenant_id);
create index api_keys_by_prefix
  on api_keys (workspace_id, (shelf::real), prefix_key, created_at desc, project_id, tenant_id);
create index api_keys_by_id
  on api_keys (workspace_id, (shelf::real), id desc, project_id, tenant_id);
-- Not partial: without statistics, a partial index seems small enough to be read whole by every
-- look-up of an id.
create index tenants_by_name on tenants (workspace_id, name_key, created_at desc);
create index tenants_by_external_id on tenants (workspace_id, external_id_key);
create index projects_by_name on projects (workspace_id, name_key, created_at desc);
create index projects_by_slug on projects (workspace_id, slug_key);
