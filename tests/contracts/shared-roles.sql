-- The roles of earlier versions, shared by all databases of a cluster. Kept to test the migration
-- of such a database to this version.
do $$
declare
  door text;
  -- Since version 16 the creator of a role is its member, but may not SET ROLE to it.
  may_put_on constant text :=
    case when current_setting('server_version_num')::int < 160000 then 'member' else 'set' end;
begin
  foreach door in array array['kr_owner', 'kr_read', 'kr_write', 'kr_record', 'kr_gate', 'kr_worker'] loop
    begin
      if not exists (select from pg_roles where rolname = door) then
        execute format('create role %I nologin noinherit', door);
      end if;
    exception when duplicate_object or unique_violation then
      null; -- made by another database's migration a moment ago
    end;
  end loop;

  -- The embedded store has one connection and logs in as a superuser; it hands itself over to
  -- this role before it serves anything.
  if (select rolsuper from pg_roles where rolname = session_user) then
    if not exists (select from pg_roles where rolname = 'kr_login') then
      create role kr_login nologin noinherit;
    end if;
    grant kr_read, kr_write, kr_record, kr_gate, kr_worker to kr_login;
  else
    -- Without NOINHERIT a forgotten door would mean the power of all of them together.
    if (select rolinherit from pg_roles where rolname = session_user) then
      execute format('alter role %I noinherit', session_user);
    end if;
    for door in
      select name from unnest(array['kr_owner', 'kr_read', 'kr_write', 'kr_record', 'kr_gate', 'kr_worker']) name
      where not pg_has_role(session_user, name, may_put_on)
    loop
      begin
        execute format('grant %I to %I', door, session_user);
      exception when unique_violation then
        null;
      end;
    end loop;
  end if;
  if to_regnamespace('keyrail') is null then
    create schema keyrail authorization kr_owner;
  end if;
end $$;
