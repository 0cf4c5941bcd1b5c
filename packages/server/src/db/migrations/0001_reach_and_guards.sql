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
      ('tenant_id',  '(select reach_tenant()) is null or tenant_id = (select reach_tenant())'),
      ('project_id', '(select reach_project()) is null or project_id = (select reach_project())')
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
  changed_by   xid8        not null -- the transaction that appended last: what the guard asks for
);
call protect('audit_heads');

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
                 where workspace_id = workspace and changed_by = pg_current_xact_id()) then
    raise exception 'a change of % was not audited', tg_table_name using errcode = 'KR001';
  end if;
  return null;
end $$;

create procedure audit(target regclass) language plpgsql as $$
begin
  execute format('create constraint trigger audited after insert or update on %s
    deferrable initially deferred for each row execute function refuse_unaudited()', target);
end $$;

-- Guard 3. A row of the policy feed loses its version when it changes; close_change() gives it the
-- project's next one. A commit that leaves it without is refused, so that no change can be missed.
create function unstamp_policy() returns trigger language plpgsql as $$
begin
  if current_user <> 'kr_owner' then
    new.policy_version := null;
  end if;
  return new;
end $$;

create function refuse_unstamped() returns trigger language plpgsql as $$
declare
  unstamped boolean;
begin
  execute format('select exists (select from %s where id = $1 and policy_version is null)',
    tg_relid::regclass) into unstamped using new.id;
  if unstamped then
    raise exception 'a policy change of % was not stamped', tg_table_name using errcode = 'KR002';
  end if;
  return null;
end $$;

create procedure feed_policy(target regclass) language plpgsql as $$
begin
  execute format('create trigger unstamped before insert or update on %s
    for each row execute function unstamp_policy()', target);
  execute format('create constraint trigger stamped after insert or update on %s
    deferrable initially deferred for each row execute function refuse_unstamped()', target);
end $$;

-- Names resolve before a door has set its role; what they name stays closed until it has.
grant usage on schema keyrail to public;
grant select on audit_heads to kr_read, kr_write;
