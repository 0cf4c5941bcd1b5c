-- Backups read every row of every table, through a role of their own that can only read.

-- Restrictive policies name the roles that they narrow: they must not hide rows from a backup. The
-- names are put together, because a migration replaces every whole name of a role in its text.
create function narrowed_roles() returns text immutable language sql
  return (select string_agg(quote_ident(role_of('kr_' || name)), ', ')
          from unnest(array['owner', 'read', 'write', 'record', 'gate', 'worker']) name);

-- Guard 4. Lets backups read a table. A backup refuses to run if a table lacks this.
create procedure back_up(target regclass) language plpgsql as $$
declare
  reader constant text := role_of('kr_' || 'backup');
begin
  execute format('grant select on %s to %I', target, reader);
  if (select relrowsecurity from pg_class where oid = target) then
    execute format('create policy backup on %s for select to %I using (true)', target, reader);
  end if;
end $$;

-- As before, but restrictive policies name their roles, and backups read the table.
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
    execute format('create policy %I on %s as restrictive to %s using (%s)',
      'within_' || narrowing.column_name, target, narrowed_roles(), narrowing.condition);
  end loop;
  call back_up(target);
end $$;

do $$
declare
  known record;
begin
  for known in
    select polname, polrelid::regclass as target from pg_policy p
      join pg_class c on c.oid = p.polrelid
      where c.relnamespace = 'keyrail'::regnamespace and not p.polpermissive
  loop
    execute format('alter policy %I on %s to %s', known.polname, known.target, narrowed_roles());
  end loop;
  for known in
    select oid::regclass as target from pg_class
      where relnamespace = 'keyrail'::regnamespace and relkind in ('r', 'p')
  loop
    call back_up(known.target);
  end loop;
end $$;

-- Results of backups and restore tests, for /status. The newest few hundred rows are kept.
create table backup_runs (
  id         uuid        primary key,
  kind       text        not null check (kind in ('backup', 'restore_test')),
  backup_id  text,                 -- null: a backup that failed
  started_at timestamptz not null,
  ended_at   timestamptz not null,
  passed     boolean     not null,
  reason     text,                 -- of the failure; null: passed
  bytes      bigint                -- of the files; null: failed, or a restore test
);
create index backup_runs_newest on backup_runs (kind, ended_at desc);
alter table backup_runs enable row level security;
alter table backup_runs force row level security;
create policy working on backup_runs to kr_worker using (true);
create policy probing on backup_runs for select to kr_gate using (true);
grant select, insert, delete on backup_runs to kr_worker;
grant select on backup_runs to kr_gate;
call back_up('backup_runs');

-- The worker reports a failed backup to the operator.
grant insert on mail_outbox to kr_worker;
