-- The functions that the write door calls at the end of every change.

-- Gives the current change its version in each project it touched. The projects are locked in one
-- order, so that changes to the same projects wait for each other without a deadlock.
create function next_versions(projects_hit uuid[], floors_hit uuid[])
returns table (project_id uuid, version bigint)
language plpgsql security definer set search_path = keyrail, pg_catalog, pg_temp as $$
#variable_conflict use_variable
begin
  foreach project_id in array (select coalesce(array_agg(hit order by hit), '{}')
                               from unnest(projects_hit) hit) loop
    update project_versions v
      set version = v.version + 1,
          floor = case when v.project_id = any (floors_hit) then v.version + 1 else v.floor end
      where v.project_id = next_versions.project_id
      returning v.version into version;
    if not found then
      raise exception 'a policy change named a project out of reach' using errcode = 'KR004';
    end if;
    insert into policy_changes
      values (project_id, version, reach_workspace(), current_change(), app_now());
    return next;
  end loop;
end $$;
revoke execute on function next_versions from public;
grant execute on function next_versions to kr_worker;

-- The last step of every write: one call just before COMMIT, so that the locks that serialise a
-- workspace are held for one round trip. Lock order: versions by project, then the audit head.
--
-- It queues the deliveries of all audit rows in one insert. Their IDs are random: this runs only
-- once per change, and deriving the IDs from the events would be a third of the cost.
create function close_change(
  actor_type   text,
  actor_id     text,
  projects_hit uuid[],   -- projects whose policy changed: each gets its next version
  floors_hit   uuid[],   -- the ones among them whose nodes must load a snapshot
  row_ids      uuid[],   -- from here on, one element per audit row
  actions      text[],
  target_types text[],
  target_ids   uuid[],
  envs         text[],
  payloads     text[]    -- canonical JSON (RFC 8785), hashed and stored as it is
) returns table (project_id uuid, version bigint)
language plpgsql security definer set search_path = keyrail, pg_catalog, pg_temp as $$
#variable_conflict use_variable
declare
  workspace constant uuid := reach_workspace();
  reach     constant text := coalesce(current_setting('kr.envs', true), '');
  head      audit_heads%rowtype;
  canonical text;
begin
  if cardinality(row_ids) = 0 then
    raise exception 'a change has no audit row' using errcode = 'KR005';
  end if;
  return query select * from next_versions(projects_hit, floors_hit);

  select * into head from audit_heads where workspace_id = workspace for update;
  if not found then
    head := row(workspace, 0, repeat('0', 64), '-infinity'::timestamptz, current_change(), false);
    insert into audit_heads select head.*;
  end if;

  for i in 1 .. array_length(row_ids, 1) loop
    head.seq := head.seq + 1;
    head.occurred_at := greatest(head.occurred_at, app_now());
    -- Keys in the order that RFC 8785 requires. to_json() quotes text as ECMAScript does.
    canonical := '{"action":' || to_json(actions[i])
      || ',"actor_id":' || coalesce(to_json(actor_id)::text, 'null')
      || ',"actor_type":' || to_json(actor_type)
      || ',"id":"' || row_ids[i]
      || '","occurred_at":"' || iso_millis(head.occurred_at)
      || '","payload":' || payloads[i]
      || ',"prev_hash":"' || head.hash
      || '","seq":' || head.seq
      || ',"target_id":"' || target_ids[i]
      || '","target_type":' || to_json(target_types[i])
      || ',"workspace_id":"' || workspace || '"}';
    insert into audit_logs values (row_ids[i], workspace, head.seq, head.occurred_at, actor_type,
      actor_id, actions[i], target_types[i], target_ids[i], envs[i]::env, payloads[i], head.hash,
      encode(sha256(convert_to(canonical, 'UTF8')), 'hex'))
      returning hash into head.hash;
  end loop;

  if head.listens then
    perform set_config('kr.envs', 'live,test', true);
    insert into webhook_deliveries
      (id, workspace_id, endpoint_id, env, type, audit_id, due_at, created_at)
    select gen_random_uuid(), workspace, e.id, e.env, event.action, event.id, (select app_now()),
      (select app_now())
    from unnest(row_ids, actions, envs) as event (id, action, env)
    cross join lateral listeners_of(event.action, event.env::env) e;
    perform set_config('kr.envs', reach, true);
  end if;

  update audit_heads set seq = head.seq, hash = head.hash, occurred_at = head.occurred_at,
    change_id = current_change() where workspace_id = workspace;
end $$;
revoke execute on function close_change from public;
grant execute on function close_change to kr_write;
