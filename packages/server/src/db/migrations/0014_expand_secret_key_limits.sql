-- What a secret key is limited to, beyond its role and environment.
alter table secret_keys
  add column permissions text[], -- null: everything that its role allows
  add column project_ids uuid[]  -- null: every project
    -- An empty list would have the same text in kr.project as no list.
    check (cardinality(project_ids) > 0),
  add column networks    text[]; -- CIDR blocks; null: every address
grant select (permissions, project_ids, networks) on secret_keys to kr_gate;
grant select (permissions) on secret_keys to kr_worker;

-- When each permission was last needed; null: not recorded yet.
alter table secret_key_uses add column permissions jsonb;

-- The previous release ignores these limits, so it does not find a key that has any.
alter policy gate on secret_keys using (
  (permissions is null and project_ids is null and networks is null)
  or current_setting('kr.knows', true) = 'limits');

-- The reach may contain several projects: kr.project is a comma-separated list.
create function reach_projects() returns uuid[] stable parallel safe language sql
  return string_to_array(nullif(current_setting('kr.project', true), ''), ',')::uuid[];

do $$
declare
  narrowed regclass;
begin
  for narrowed in
    select polrelid from pg_policy
    where polname = 'within_project_id' and not polpermissive
      and polrelid in (select oid from pg_class where relnamespace = 'keyrail'::regnamespace)
  loop
    execute format('alter policy within_project_id on %s using (
      case when (select reach_projects()) is null then true
           else project_id = any ((select reach_projects())::uuid[]) end)', narrowed);
  end loop;
end $$;

create or replace procedure protect(
  target regclass, workspace_column name default 'workspace_id'
) language plpgsql as $$
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
end $$;

-- A key that is limited to projects sees these projects, the keys that are limited to some of
-- them, and the audit rows about them and their API keys.
create policy within_projects on projects as restrictive
  to kr_owner, kr_read, kr_write, kr_record, kr_gate, kr_worker using (
    case when (select reach_projects()) is null then true
         else id = any ((select reach_projects())::uuid[]) end);
create policy within_projects on secret_keys as restrictive
  to kr_owner, kr_read, kr_write, kr_record, kr_gate, kr_worker using (
    case when (select reach_projects()) is null then true
         else coalesce(project_ids <@ (select reach_projects())::uuid[], false) end);
create policy within_projects on audit_logs as restrictive for select to kr_read using (
  case when (select reach_projects()) is null then true
       else exists (select from projects where projects.id = audit_logs.target_id)
         or exists (select from api_keys where api_keys.id = audit_logs.target_id)
         or exists (select from secret_keys where secret_keys.id = audit_logs.target_id) end);

-- The features that a node must be able to enforce before it may have this key.
create function features_of(key api_keys) returns text[] immutable parallel safe language sql
  return '{}'::text[];

alter table policy_nodes
  add column understands   text[] not null default '{}',
  add column secret_key_id uuid; -- the key of its last poll
