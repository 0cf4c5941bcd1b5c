-- Outbound events. A change queues its deliveries in its own transaction; the worker sends them.

create table webhook_endpoints (
  id                uuid        primary key,
  workspace_id      uuid        not null default reach_workspace() references workspaces,
  -- Events of this environment, and those without one. Null: events of both.
  env               env,
  url               text        not null check (length(url) <= 2048),
  events            text[]      not null check (cardinality(events) between 1 and 50),
  description       text,
  sealed_secret     bytea       not null,
  -- After a rotation both secrets sign until this time.
  sealed_old_secret bytea,
  old_secret_until  timestamptz,
  disabled_at       timestamptz,
  disabled_reason   text,
  -- The first failure since the last success.
  failing_since     timestamptz,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  deleted_at        timestamptz,
  check ((sealed_old_secret is null) = (old_secret_until is null)),
  check (disabled_at is not null or disabled_reason is null)
);
create index webhook_endpoints_newest on webhook_endpoints (workspace_id, created_at desc, id desc)
  where deleted_at is null;
create index webhook_endpoints_deleted on webhook_endpoints (deleted_at)
  where deleted_at is not null;
call protect('webhook_endpoints');
-- The worker records failures without an audit row; everything else about an endpoint has one.
create constraint trigger audited after insert or update of env, url, events, description,
  sealed_secret, sealed_old_secret, old_secret_until, disabled_at, disabled_reason, created_at,
  updated_at, deleted_at on webhook_endpoints
  deferrable initially deferred for each row
  when (first_in_change('audited', new.workspace_id)) execute function refuse_unaudited();

-- Without foreign keys: a change with many endpoints would spend most of its time checking them. No
-- row that they would name is ever deleted, and only queue_event() and a test write here.
create table webhook_deliveries (
  -- The `webhook-id` of the message, the same in all attempts.
  id            uuid        primary key,
  workspace_id  uuid        not null default reach_workspace(),
  endpoint_id   uuid        not null,
  env           env,        -- that of the endpoint
  type          text        not null,
  -- The event is a row of the audit log, or a notice with its own contents.
  audit_id      uuid,
  notice        json,
  state         text        not null default 'pending'
                check (state in ('pending', 'delivered', 'failed')),
  attempts      smallint    not null default 0,
  due_at        timestamptz not null,
  claim         uuid,
  claimed_until timestamptz,
  last_status   smallint,
  last_error    text,
  duration_ms   int,
  created_at    timestamptz not null,
  delivered_at  timestamptz,
  check ((audit_id is null) <> (notice is null))
);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at)
  where state = 'pending';
create index webhook_deliveries_newest on webhook_deliveries (endpoint_id, created_at desc, id desc);
create index webhook_deliveries_by_state
  on webhook_deliveries (endpoint_id, state, created_at desc, id desc);
-- For the deletion of old rows. Rows are appended in the order of time, so a summary of each range
-- of pages is enough, and it costs a change almost nothing.
create index webhook_deliveries_old on webhook_deliveries using brin (created_at);
call protect('webhook_deliveries');

-- A test key sees and changes endpoints of test only: one without an environment gets live events.
alter policy within_env on webhook_endpoints
  using (coalesce(env, 'live') = any ((select reach_envs())::env[]));
alter policy within_env on webhook_deliveries
  using (coalesce(env, 'live') = any ((select reach_envs())::env[]));

grant select on webhook_endpoints, webhook_deliveries to kr_read, kr_write;
grant insert on webhook_endpoints, webhook_deliveries to kr_write;
grant update (url, events, env, description, sealed_secret, sealed_old_secret, old_secret_until,
  disabled_at, disabled_reason, failing_since, updated_at, deleted_at)
  on webhook_endpoints to kr_write;
grant update (state, attempts, due_at, claim, claimed_until, last_status, last_error, duration_ms,
  delivered_at) on webhook_deliveries to kr_write;

create policy sending on webhook_endpoints to kr_worker using (true);
create policy sending on webhook_deliveries to kr_worker using (true);
grant select on webhook_endpoints to kr_worker;
grant update (failing_since) on webhook_endpoints to kr_worker;
grant select, update, delete on webhook_deliveries to kr_worker;

-- The environments of an endpoint and a delivery that are out of reach, for the error of a miss.
create function env_of_webhook_endpoint(endpoint_id uuid) returns env language plpgsql as $$
declare
  envs  constant text := current_setting('kr.envs');
  found_env env;
begin
  perform set_config('kr.envs', 'live,test', true);
  select coalesce(env, 'live') into found_env
    from webhook_endpoints where id = endpoint_id and deleted_at is null;
  perform set_config('kr.envs', envs, true);
  return found_env;
end $$;

create function env_of_webhook_delivery(delivery_id uuid) returns env language plpgsql as $$
declare
  envs  constant text := current_setting('kr.envs');
  found_env env;
begin
  perform set_config('kr.envs', 'live,test', true);
  select coalesce(env, 'live') into found_env from webhook_deliveries where id = delivery_id;
  perform set_config('kr.envs', envs, true);
  return found_env;
end $$;

-- Whether a change has to look for endpoints. It is a column of the row that every change reads
-- anyway, so that changes of a workspace without endpoints cost what they cost before.
alter table audit_heads add column listens boolean not null default false;

create function webhook_endpoints_max() returns int immutable language sql return 20;

-- The update locks the head, so that two changes at once count each other's endpoints. A test key
-- does not see all endpoints, so the environments are widened meanwhile.
create function note_listeners() returns trigger
language plpgsql security definer set search_path = keyrail, pg_catalog, pg_temp as $$
declare
  envs constant text := coalesce(current_setting('kr.envs', true), '');
begin
  perform set_config('kr.envs', 'live,test', true);
  update audit_heads set listens = true where workspace_id = new.workspace_id;
  update audit_heads set listens = exists (
      select from webhook_endpoints
      where workspace_id = new.workspace_id and disabled_at is null and deleted_at is null)
    where workspace_id = new.workspace_id;
  if tg_op = 'INSERT' and (select count(*) from webhook_endpoints
      where workspace_id = new.workspace_id and deleted_at is null) > webhook_endpoints_max() then
    raise exception 'a workspace has too many webhook endpoints' using errcode = 'KR009';
  end if;
  perform set_config('kr.envs', envs, true);
  return null;
end $$;
revoke execute on function note_listeners from public;
create trigger listened after insert or update of disabled_at, deleted_at on webhook_endpoints
  for each row execute function note_listeners();

-- The id of a delivery follows from its event and its endpoint: nothing is queued twice.
create function delivery_id(event text, endpoint_id uuid) returns uuid immutable language sql
  return encode(substring(sha256(convert_to(event || ' ' || endpoint_id, 'UTF8')) from 1 for 16),
    'hex')::uuid;

-- Queues an event for every endpoint of the workspace that listens to its type, whatever the
-- environments of the change: a change of a test key is an event for endpoints of both, too.
create function queue_event(
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
  from webhook_endpoints e
  where e.workspace_id = reach_workspace() and e.disabled_at is null and e.deleted_at is null
    and (e.env is null or event_env is null or e.env = event_env)
    and e.events && array['*', split_part(event_type, '.', 1) || '.*', event_type]
  on conflict (id) do nothing;
  perform set_config('kr.envs', envs, true);
end $$;
revoke execute on function queue_event from public;
grant execute on function queue_event to kr_worker;

-- Notices about keys that end, or that nobody uses.
create table notice_marks (
  kind  text        primary key,
  until timestamptz not null -- what happened up to this time has been queued
);
alter table notice_marks enable row level security;
alter table notice_marks force row level security;
create policy noticing on notice_marks to kr_worker using (true);
grant select, insert, update on notice_marks to kr_worker;
call back_up('notice_marks');

-- As before, but in an order that pages can follow where many keys end at the same time.
drop index api_keys_retirable;
create index api_keys_retirable on api_keys (expires_at, id)
  where revoked_at is null and retired_at is null and expires_at is not null;
create index secret_keys_ending on secret_keys (expires_at, id)
  where revoked_at is null and expires_at is not null;
create index audit_heads_listening on audit_heads (workspace_id) where listens;
create policy noticing on secret_keys for select to kr_worker using (true);
create policy noticing on audit_heads for select to kr_worker using (true);
grant select (id, workspace_id, env, display_prefix, expires_at, revoked_at)
  on secret_keys to kr_worker;
grant select (display_prefix, disabled_at, created_at, shelf) on api_keys to kr_worker;
grant select (workspace_id, listens) on audit_heads to kr_worker;

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
    if head.listens then
      perform queue_event(row_ids[i]::text, actions[i], envs[i]::env, row_ids[i], null);
    end if;
  end loop;

  update audit_heads set seq = head.seq, hash = head.hash, occurred_at = head.occurred_at,
    change_id = current_change() where workspace_id = workspace;
end $$;
revoke execute on function close_change from public;
grant execute on function close_change to kr_write;
