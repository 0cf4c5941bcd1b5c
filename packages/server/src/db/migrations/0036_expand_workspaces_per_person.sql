-- The creator of a workspace, and how many workspaces one person has created.

-- Null: the bootstrap token, or before this column existed.
alter table workspaces add column created_by uuid;
grant select (created_at, created_by) on workspaces to kr_gate;

-- The number of workspaces that a person created and still owns. One transaction inserts a
-- workspace and its creator's membership, so without the column their times show its creator.
-- The lock makes concurrent creations by one person wait for each other. The memberships are in
-- other workspaces, which only the gate's role sees; the caller's role is restored at the end.
create function count_created_workspaces(person uuid) returns int language plpgsql as $$
declare
  caller  constant text := current_setting('role');
  created int;
begin
  perform set_config('role', role_of('kr_' || 'gate'), true);
  perform from users where id = person for no key update;
  select count(*) into created
    from memberships m join workspaces w on w.id = m.workspace_id
    where m.user_id = person and m.role = 'owner' and m.removed_at is null
      and (w.created_by = person or (w.created_by is null and w.created_at = m.created_at));
  perform set_config('role', caller, true);
  return created;
end $$;
