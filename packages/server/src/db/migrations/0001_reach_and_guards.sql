-- What every later table stands on: the clock, the reach of a transaction, and the three guards.

-- The one clock. Tests shift it for a transaction; nothing else may.
create function app_now() returns timestamptz volatile language sql
  return date_trunc('milliseconds', clock_timestamp()
    + coalesce(nullif(current_setting('kr.clock_shift_ms', true), ''), '0')::bigint
      * interval '1 millisecond');

-- An instant as it stands in answers and in hashed audit rows.
create function iso_millis(moment timestamptz) returns text immutable language sql
  return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

create type env as enum ('live', 'test');
create type member_role as enum ('owner', 'admin', 'member');

-- The reach: set for one transaction by the door that opened it. Unset means nothing is in reach.
create function reach_workspace() returns uuid stable parallel safe language sql
  return nullif(current_setting('kr.workspace', true), '')::uuid;

create function reach_envs() returns env[] stable parallel safe language sql
  return string_to_array(coalesce(current_setting('kr.envs', true), ''), ',')::env[];

create function reach_tenant() returns uuid stable parallel safe language sql
  return nullif(current_setting('kr.tenant', true), '')::uuid;

create function reach_project() returns uuid stable parallel safe language sql
  return nullif(current_setting('kr.project', true), '')::uuid;

-- The change that a transaction makes: one id, shared by all the rows that it writes.
create function current_change() returns uuid stable parallel safe language sql
  return nullif(current_setting('kr.change', true), '')::uuid;

-- Guard 1. Rows of other workspaces do not exist, for any role, the owner's included. Where a
-- table carries env, tenant_id or project_id, rows outside the reach do not exist either; a null
-- env means that the row belongs to no environment.
create procedure protect(target regclass, workspace_column name default 'workspace_id')
language plpgsql as $$
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
      -- CASE, not OR: for an OR the planner expects almost no row to be left, and sorts them all
      -- where it could read the first two hundred off an index.
      ('tenant_id',  'case when (select reach_tenant()) is null then true
                           else tenant_id = (select reach_tenant()) end'),
      ('project_id', 'case when (select reach_project()) is null then true
                           else project_id = (select reach_project()) end')
    ) as rule (column_name, condition)
    where exists (select from pg_attribute
                  where attrelid = target and attname = rule.column_name and not attisdropped)
  loop
    execute format('create policy %I on %s as restrictive using (%s)',
      'within_' || narrowing.column_name, target, narrowing.condition);
  end loop;
end $$;

-- The head of each workspace's audit chain: what the next row links to. It is the one row that
-- every change of a workspace locks, so it is locked last, and only by close_change().
create table audit_heads (
  workspace_id uuid        primary key,
  seq          bigint      not null,
  hash         text        not null check (length(hash) = 64),
  occurred_at  timestamptz not null,
  change_id    uuid        not null -- the change that appended last: what the guard asks for
);
call protect('audit_heads');

-- The guards below look once, at commit, however many rows a transaction writes: a deferred
-- trigger for each of a hundred thousand rows would hold the locks for seconds.
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

-- Guard 2. A commit that changed a row but appended nothing to its workspace's chain is refused.
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

-- Guard 3. A row of the policy feed bears the change that wrote it last; close_change() gives that
-- change its version in the project. A commit without one is refused, so that nothing is missed.
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

-- Names resolve before a door has set its role; what they name stays closed until it has.
grant usage on schema keyrail to public;
grant select on audit_heads to kr_read, kr_write;
