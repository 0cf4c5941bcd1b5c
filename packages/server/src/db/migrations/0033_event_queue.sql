-- A change queues the deliveries of all its audit rows in one insert. It runs once, as it is
-- committed, so its ids are random: deriving them from the events is a third of the cost.

-- The endpoints of the workspace that listen to an event. The callers see both environments: a
-- change of a test key is an event for all endpoints. A plain SQL function becomes part of its
-- caller's plan and costs no call.
create function listeners_of(event_type text, event_env env)
returns setof webhook_endpoints stable language sql as $$
  select e.* from webhook_endpoints e
  where e.workspace_id = reach_workspace() and e.disabled_at is null and e.deleted_at is null
    and (e.env is null or event_env is null or e.env = event_env)
    and e.events && array['*', split_part(event_type, '.', 1) || '.*', event_type]
$$;

-- Queues an event that is no change, such as a notice. Its ids follow from the event, so that it is
-- queued once.
create or replace function queue_event(
  event text, event_type text, event_env env, own_audit_id uuid, own_notice json
) returns void
language plpgsql security definer set search_path = keyrail, pg_catalog, pg_temp as $$
declare
  envs constant text := coalesce(current_setting('kr.envs', true), '');
begin
  perform set_config('kr.envs', 'live,test', true);
  insert into webhook_deliveries
    (id, workspace_id, endpoint_id, env, type, audit_id, notice, due_at, created_at)
  select delivery_id(event, e.id), e.workspace_id, e.id, e.env, event_type, own_audit_id,
    own_notice, app_now(), app_now()
  from listeners_of(event_type, event_env) e
  on conflict (id) do nothing;
  perform set_config('kr.envs', envs, true);
end $$;

create or replace function close_change(
  actor_type   text,
  actor_id     text,
  projects_hit uuid[],   -- whose policy changed: each gets its next version
  floors_hit   uuid[],   -- of those, whose nodes must all start over from a snapshot
  row_ids      uuid[],   -- from here on one element per audit row
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
    raise exception 'a change says nothing about itself' using errcode = 'KR005';
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
    -- Keys in the order that RFC 8785 asks for. to_json() quotes text as ECMAScript does.
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
