-- Indexes that give every hot statement one plan, whatever the statistics say. See pool.ts: sorting
-- and scanning are the planner's last resort, so that an index that has the order wins.

-- A delta asks for the keys of one change, project and shelf, in order: an import writes a million
-- keys in one change.
drop index api_keys_change;
create index api_keys_change on api_keys (change_id, project_id, shelf, id);

-- The shelf has another type in each of the indexes by project, by tenant and of everything. A list
-- that compares it in one of these types can be read off one index alone.
drop index api_keys_tenant;
create index api_keys_tenant
  on api_keys (tenant_id, (shelf::bigint), created_at desc, id desc, project_id);

-- Members in the order of their list; and whether a person ever was one, which the policy on users
-- asks for.
create index memberships_oldest on memberships (workspace_id, created_at, id)
  where removed_at is null;
create index memberships_ever on memberships (user_id, workspace_id);
create index memberships_owners on memberships (workspace_id, created_at)
  where removed_at is null and role = 'owner';

-- An invitation is found by either of its tokens.
create index invites_token on invites (token_hash);
create index invites_mail_token on invites (mail_token_hash);

-- The log as a test key sees it: without the live rows, of which there may be any number.
create index audit_logs_not_live on audit_logs (workspace_id, seq) where env is null or env = 'test';
