-- Moves the schema to the roles of this database if other roles own it: the roles of the database
-- that this one was copied from, or the roles that all databases of a cluster shared in early
-- commits. Runs at every migration after roles.sql. Ownership, grants and policies move in one
-- transaction, and the old roles keep no rights in this database.
do $$
declare
  here      constant text := '_' || (select oid from pg_database where datname = current_database());
  names     constant text[] := string_to_array(current_setting('kr.roles'), ',');
  login     constant name := session_user;
  new_owner constant text := 'kr_owner' || here;
  is_old    constant boolean := current_setting('server_version_num')::int < 160000;
  is_super  constant boolean := (select rolsuper from pg_roles where rolname = session_user);
  space     constant oid := 'keyrail'::regnamespace;
  old_owner constant text :=
    (select r.rolname from pg_namespace n join pg_roles r on r.oid = n.nspowner where n.oid = space);
  from_where constant text := substring(old_owner from '^kr_owner((?:_\d+)?)$');
  mover     text;
  was_member boolean;
  held      record;
  role_name text;
begin
  if old_owner = new_owner or from_where is null then
    return;
  end if;

  -- Ownership. REASSIGN OWNED needs the rights of both owners together, and the login inherits
  -- neither. Before version 16 a temporary role inherits both, within this transaction only. Since
  -- version 16 the new owner is granted to the old owner; this needs no rights over the old owner.
  if not is_super then
    if is_old then
      mover := 'kr_mover' || here;
      execute format('create role %I nologin inherit in role %I, %I role %I',
        mover, old_owner, new_owner, login);
    else
      mover := old_owner;
      was_member := pg_has_role(login, old_owner, 'set');
      if not was_member then
        execute format('grant %I to %I with inherit false, set true', old_owner, login);
      end if;
      execute format('grant %I to %I with inherit true, set true', new_owner, old_owner);
    end if;
    execute format('grant create on database %I to %I', current_database(), mover);
    execute format('set local role %I', mover);
  end if;
  -- The schema comes first: the new owner of a function must have CREATE on its schema.
  execute format('alter schema keyrail owner to %I', new_owner);
  execute format('reassign owned by %I to %I', old_owner, new_owner);
  if not is_super then
    set local role none;
    execute format('revoke create on database %I from %I', current_database(), mover);
    if is_old then
      execute format('drop role %I', mover);
    else
      execute format('revoke %I from %I', new_owner, old_owner);
      if not was_member then
        execute format('revoke %I from %I', old_owner, login);
      end if;
    end if;
  end if;

  -- Grants, made as the new owner of all objects.
  execute format('set local role %I', new_owner);
  -- It belongs to the old role of backups. The next start creates it again: see trigram-search.ts.
  drop function if exists keyrail.trigram_matches(text, text);
  for held in
    select entry.privilege_type || coalesce(' (' || quote_ident(acl.column_name) || ')', '')
        || ' on ' || acl.target as grant_text,
      old.rolname as old_name, name || here as new_name
    from (
      select 'table ' || oid::regclass as target, null::name as column_name, relacl as entries
        from pg_class where relnamespace = space and relkind in ('r', 'p', 'v', 'm')
      union all
      select 'sequence ' || oid::regclass, null, relacl
        from pg_class where relnamespace = space and relkind = 'S'
      union all
      select 'table ' || c.oid::regclass, a.attname, a.attacl
        from pg_class c join pg_attribute a on a.attrelid = c.oid
        where c.relnamespace = space and a.attacl is not null and not a.attisdropped
      union all
      select 'routine ' || oid::regprocedure, null, proacl from pg_proc where pronamespace = space
      union all
      select 'type ' || oid::regtype, null, typacl from pg_type where typnamespace = space
      union all
      select 'schema keyrail', null, nspacl from pg_namespace where oid = space
    ) acl
      cross join aclexplode(acl.entries) entry
      join pg_roles old on old.oid = entry.grantee
      join unnest(names) name on old.rolname = name || from_where
  loop
    execute format('grant %s to %I', held.grant_text, held.new_name);
    execute format('revoke %s from %I', held.grant_text, held.old_name);
  end loop;

  -- Policies.
  for held in
    select p.polname, p.polrelid::regclass as target,
      string_agg(case when named.role_oid = 0 then 'public'
                      when name is null then quote_ident(old.rolname)
                      else quote_ident(name || here) end, ', ') as new_names
    from pg_policy p
      join pg_class c on c.oid = p.polrelid and c.relnamespace = space
      cross join unnest(p.polroles) named (role_oid)
      left join pg_roles old on old.oid = named.role_oid
      left join unnest(names) name on old.rolname = name || from_where
    group by p.oid, p.polname, p.polrelid
    having bool_or(name is not null)
  loop
    execute format('alter policy %I on %s to %s', held.polname, held.target, held.new_names);
  end loop;
  set local role none;

  -- The old roles stay if another database uses them or if the login may not drop them.
  foreach role_name in array names loop
    begin
      execute format('drop role if exists %I', role_name || from_where);
    exception when dependent_objects_still_exist or insufficient_privilege or internal_error then
      null;
    end;
  end loop;
exception when insufficient_privilege then
  raise exception 'The schema keyrail belongs to the role "%", which is not a role of this '
    'database, and the login "%" cannot move it: %. The login must own the database. Since '
    'PostgreSQL 16 it must also be a member of that role for one start: GRANT "%" TO "%"; and '
    'revoke it afterwards.',
    old_owner, login, sqlerrm, old_owner, login
    using errcode = 'insufficient_privilege';
end $$;

-- Sets the owner's role, for role_of() and for the numbered files. role_of() turns a role name as
-- the server uses it into its full name in this database.
do $$
declare
  here  constant text := '_' || (select oid from pg_database where datname = current_database());
  known text;
begin
  execute format('set local role %I', 'kr_owner' || here);
  if to_regprocedure('keyrail.role_of(text)') is not null then
    execute 'select keyrail.role_of('''')' into known;
  end if;
  if known is distinct from here then
    execute format('create or replace function keyrail.role_of(door text) returns text
      immutable parallel safe language sql return door || %L', here);
  end if;
end $$;
