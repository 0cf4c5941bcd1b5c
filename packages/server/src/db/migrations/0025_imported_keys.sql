-- Keys that another product issued. Only the hash of their text was ever sent.
alter table api_keys add column imported boolean not null default false;

-- Whether nodes of a project hold imported keys: only then they look up other texts than our own.
create index api_keys_imported on api_keys (workspace_id, project_id)
  where imported and revoked_at is null and disabled_at is null and retired_at is null;
