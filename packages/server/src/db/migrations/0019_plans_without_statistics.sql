-- Indexes that give every hot statement the same plan with any statistics. pool.ts makes sorts and
-- scans the planner's last resort, so that an index in the right order is chosen.

-- A delta reads the keys of one change, project and list partition in order. An import may write a
-- million keys in one change.
drop index api_keys_change;
create index api_keys_change on api_keys (change_id, project_id, shelf, id);

-- The list partition has a different type in each index: by project, by tenant and over all keys.
-- A list that compares the partition in one of these types can use only that index.
drop index api_keys_tenant;
create index api_keys_tenant
  on api_keys (tenant_id, (shelf::bigint), created_at desc, id desc, project_id);

-- Members in the order of their list. memberships_ever serves the policy on users, which checks
-- whether a person has ever been a member.
create index memberships_oldest on memberships (workspace_id, created_at, id)
  where removed_at is null;
create index memberships_ever on memberships (user_id, workspace_id);
create index memberships_owners on memberships (workspace_id, created_at)
  where removed_at is null and role = 'owner';

-- An invitation is found by either of its tokens.
create index invites_token on invites (token_hash);
create index invites_mail_token on invites (mail_token_hash);

-- The audit log as a test key sees it, without the live rows, which may be numerous.
create index audit_logs_not_live on audit_logs (workspace_id, seq) where env is null or env = 'test';
