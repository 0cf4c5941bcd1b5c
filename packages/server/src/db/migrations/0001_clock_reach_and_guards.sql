-- The basis of all later tables: the clock, the reach of a transaction, and the guards.

-- The only clock. Only tests shift it, for one transaction at a time.
create function app_now() returns timestamptz volatile language sql
  return date_trunc('milliseconds', clock_timestamp()
    + coalesce(nullif(current_setting('kr.clock_shift_ms', true), ''), '0')::bigint
      * interval '1 millisecond');

-- Formats a time as in responses and hashed audit rows.
create function iso_millis(moment timestamptz) returns text immutable language sql
  return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Telemetry sends times as milliseconds, which are much faster to parse than dates.
create function moment_of(ms double precision) returns timestamptz stable language sql
  return to_timestamp(0) + ms * interval '1 millisecond';

create type env as enum ('live', 'test');
create type member_role as enum ('owner', 'admin', 'member');

-- The reach is set by the door that opens a transaction, for that transaction. If it is not set, no
-- row is in reach.
create function reach_workspace() returns uuid stable parallel safe language sql
  return nullif(current_setting('kr.workspace', true), '')::uuid;

create function reach_envs() returns env[] stable parallel safe language sql
  return string_to_array(coalesce(current_setting('kr.envs', true), ''), ',')::env[];

create function reach_tenant() returns uuid stable parallel safe language sql
  return nullif(current_setting('kr.tenant', true), '')::uuid;

create function reach_project() returns uuid stable parallel safe language sql
  return nullif(current_setting('kr.project', true), '')::uuid;

create function reach_user() returns uuid stable parallel safe language sql
  return nullif(current_setting('kr.user', true), '')::uuid;

-- The ID of the change that a transaction makes. All rows it writes share it.
create function current_change() returns uuid stable parallel safe language sql
  return nullif(current_setting('kr.change', true), '')::uuid;

-- Restrictive policies list the roles they apply to, because they must not hide rows from a backup.
-- The names are assembled here, because a migration replaces every full role name in its text.
create function narrowed_roles() returns text immutable language sql
  return (select string_agg(quote_ident(role_of('kr_' || name)), ', ')
          from unnest(array['owner', 'read', 'write', 'record', 'gate', 'worker']) name);

-- Guard 1. Lets backups read a table. A backup refuses to run if a table lacks this.
create procedure back_up(target regclass) language plpgsql as $$
declare
  reader constant text := role_of('kr_' || 'backup');
begin
  execute format('grant select on %s to %I', target, reader);
  if (select relrowsecurity from pg_class where oid = target) then
    execute format('create policy backup on %s for select to %I using (true)', target, reader);
  end if;
end $$;
call back_up('migrations');

-- Guard 2. Rows of other workspaces are hidden from every role, even the owner. In a table with the
-- column env, tenant_id or project_id, rows outside the reach are hidden too. A null env means that
-- the row belongs to no environment.
create procedure protect(
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
      ('project_id', 'case when (select reach_project()) is null then true
                           else project_id = (select reach_project()) end')
    ) as rule (column_name, condition)
    where exists (select from pg_attribute
                  where attrelid = target and attname = rule.column_name and not attisdropped)
  loop
    execute format('create policy %I on %s as restrictive to %s using (%s)',
      'within_' || narrowing.column_name, target, narrowed_roles(), narrowing.condition);
  end loop;
  call back_up(target);
end $$;

-- The next two guards check once, at commit, no matter how many rows a transaction writes: a
-- deferred trigger for each of a hundred thousand rows would hold the locks for seconds.
create function first_in_change(guard text, workspace uuid) returns boolean language plpgsql as $$
declare
  mark constant text := coalesce(current_setting('kr.change', true), '') || workspace;
begin
  if current_setting('kr.guard_' || guard, true) = mark then
    return false;
  end if;
  perform set_config('kr.guard_' || guard, mark, true);
  return true;
end $$;

-- Guard 3. Refuses a commit that changed a row but appended nothing to its workspace's audit log.
create function refuse_unaudited() returns trigger language plpgsql as $$
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
end $$;

create procedure audit(target regclass, workspace_column name default 'workspace_id')
language plpgsql as $$
begin
  execute format('create constraint trigger audited after insert or update on %s
    deferrable initially deferred for each row
    when (first_in_change(''audited'', new.%I)) execute function refuse_unaudited()',
    target, workspace_column);
end $$;

-- Guard 4. Each row of the policy feed stores the change that wrote it last, and close_change()
-- gives that change its version in the project. A commit without a version is refused, so nodes
-- never miss a change.
create function mark_policy_change() returns trigger language plpgsql as $$
begin
  new.change_id := current_change();
  return new;
end $$;

create function refuse_unversioned() returns trigger language plpgsql as $$
begin
  if not exists (select from policy_changes
                 where change_id = new.change_id and project_id = new.project_id) then
    raise exception 'a policy change of % got no version', tg_table_name using errcode = 'KR002';
  end if;
  return null;
end $$;

create procedure feed_policy(target regclass) language plpgsql as $$
begin
  execute format('create trigger changed before insert or update on %s
    for each row execute function mark_policy_change()', target);
  execute format('create constraint trigger versioned after insert or update on %s
    deferrable initially deferred for each row
    when (first_in_change(''versioned'', new.project_id)) execute function refuse_unversioned()',
    target);
end $$;

-- Names are resolved before a door has set its role. Until it has, nothing in the schema can be
-- read.
grant usage on schema keyrail to public;
