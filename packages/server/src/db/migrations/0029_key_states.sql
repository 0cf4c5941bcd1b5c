-- Lists and counts of keys by state. Two columns give every state: what was decided about the key,
-- and when it ends. Both are stored, because under row level security an index cannot be searched
-- by env or by an expression.
alter table api_keys
  -- 0 nothing, 1 quarantined, 2 disabled, 3 revoked; 4 more in the environment test.
  add column state_shelf smallint not null generated always as
    (case env when 'test' then 4 else 0 end
      + case when revoked_at is not null then 3
             when quarantined_at is not null then 1
             when disabled_at is not null then 2
             else 0 end) stored,
  -- expires_at, or the last moment that a request can name.
  add column ends_at timestamptz not null generated always as
    (coalesce(expires_at, timestamptz '9999-12-31 23:59:59.999+00')) stored;

-- A list by state is read newest first; all of its filters are checked in the index.
create index api_keys_state
  on api_keys (workspace_id, state_shelf, created_at desc, id desc, project_id, tenant_id, ends_at);
-- The keys of one state are neighbours, so counting them reads no other keys. The first column has
-- another type, so that no list uses this index.
create index api_keys_ends on api_keys (workspace_id, (state_shelf::int), ends_at);
