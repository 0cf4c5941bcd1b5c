-- Creates the missing roles of this database: one for each door, the owner of the schema, and the
-- role of backups. The login runs this file at every migration, before the numbered files.
--
-- Roles belong to the whole cluster. Each name ends in the oid of its database, so that a login of
-- another database has other roles, even if it may connect. An oid stays the same when a database
-- is renamed; a copy of a database has a different oid. `kr.roles` contains the names without the
-- oid: see roles.ts.
do $$
declare
  here       constant text := '_' || (select oid from pg_database where datname = current_database());
  names      constant text[] := string_to_array(current_setting('kr.roles'), ',');
  login      constant name := session_user;
  is_old     constant boolean := current_setting('server_version_num')::int < 160000;
  -- Since version 16 the creator of a role is its member, but may not SET ROLE to it.
  needed_right constant text := case when is_old then 'member' else 'set' end;
  -- Before version 16 INHERIT is an attribute of the login; since then it belongs to each grant.
  not_inherited constant text := case when is_old then '' else ' with inherit false' end;
  is_super   boolean;
  inherits   boolean;
  role_name  text;
begin
  select rolsuper, rolinherit into is_super, inherits from pg_roles where rolname = login;
  foreach role_name in array names loop
    if not exists (select from pg_roles where rolname = role_name || here) then
      execute format('create role %I nologin noinherit', role_name || here);
    end if;
  end loop;

  -- The embedded store logs in as a superuser on its only connection, and switches to kr_login
  -- before it serves requests. kr_login isn't a member of the owner role or the backup role.
  if is_super then
    if not exists (select from pg_roles where rolname = 'kr_login') then
      create role kr_login nologin noinherit;
    end if;
    foreach role_name in array array_remove(array_remove(names, 'kr_owner'), 'kr_backup') loop
      execute format('grant %I to kr_login', role_name || here);
    end loop;
  else
    -- A login that inherits would have the rights of all doors whenever no role is set.
    if is_old and inherits then
      execute format('alter role %I noinherit', login);
    end if;
    foreach role_name in array names loop
      if not pg_has_role(login, role_name || here, needed_right) then
        execute format('grant %I to %I' || not_inherited, role_name || here, login);
      end if;
    end loop;
  end if;

  if to_regnamespace('keyrail') is null then
    execute format('create schema keyrail authorization %I', 'kr_owner' || here);
  end if;
exception when insufficient_privilege then
  raise exception 'The database login "%" cannot set up the roles of this database: %. It needs '
    'CREATEROLE once for each database, and once for an upgrade that adds a role: run '
    'ALTER ROLE "%" CREATEROLE; start again, and revoke it afterwards with NOCREATEROLE.', login, sqlerrm, login using errcode = 'insufficient_privilege';
end $$;

-- By default every login of the cluster may connect to every database. The owner needs no grant.
do $$
begin
  if exists (
    select from pg_database d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) entry
    where d.datname = current_database() and entry.grantee = 0
      and entry.privilege_type = 'CONNECT' and pg_has_role(session_user, d.datdba, 'usage')
  ) then
    execute format('revoke connect on database %I from public', current_database());
  end if;
  -- The roles of the doors need no temporary tables or functions.
  if exists (
    select from pg_database d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) entry
    where d.datname = current_database() and entry.grantee = 0
      and entry.privilege_type = 'TEMPORARY' and pg_has_role(session_user, d.datdba, 'usage')
  ) then
    execute format('revoke temporary on database %I from public', current_database());
  end if;
end $$;
