-- Outbound events. A change queues its deliveries in its own transaction, and the worker sends
-- them.

create table webhook_endpoints (
  id                uuid        primary key,
  workspace_id      uuid        not null default reach_workspace() references workspaces,
  -- Events in this environment, and events without one. Null: all events.
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
-- The worker records failures without an audit row. Every other change to an endpoint has one.
create constraint trigger audited after insert or update of env, url, events, description,
  sealed_secret, sealed_old_secret, old_secret_until, disabled_at, disabled_reason, created_at,
  updated_at, deleted_at on webhook_endpoints
  deferrable initially deferred for each row
  when (first_in_change('audited', new.workspace_id)) execute function refuse_unaudited();

-- Without foreign keys: a change with many endpoints would spend most of its time checking them.
-- The rows they would refer to are never deleted, and only queue_event(), close_change() and a test
-- event write here.
create table webhook_deliveries (
  -- The `webhook-id` of the message, the same in all attempts.
  id            uuid        primary key,
  workspace_id  uuid        not null default reach_workspace(),
  endpoint_id   uuid        not null,
  env           env,        -- of the endpoint
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
-- For the deletion of old rows. Rows are appended in chronological order, so a summary of each
-- range of pages is enough, and it costs a change almost nothing.
create index webhook_deliveries_old on webhook_deliveries using brin (created_at);
call protect('webhook_deliveries');

-- A test key sees and changes test endpoints only: an endpoint without an environment gets live
-- events.
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

-- The environment of an endpoint or a delivery that is out of reach, for the error message.
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

create function webhook_endpoints_max() returns int immutable language sql return 20;

-- Records in the audit head whether the workspace has endpoints. The update locks the head, so two
-- concurrent changes count each other's endpoints. A test key does not see all endpoints, so the
-- count runs over both environments.
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

-- The endpoints of the workspace that are subscribed to an event. The callers set both
-- environments, because a change made with a test key is an event for all endpoints. A plain SQL
-- function becomes part of its caller's plan and costs no call.
create function listeners_of(event_type text, event_env env)
returns setof webhook_endpoints stable language sql as $$
  select e.* from webhook_endpoints e
  where e.workspace_id = reach_workspace() and e.disabled_at is null and e.deleted_at is null
    and (e.env is null or event_env is null or e.env = event_env)
    and e.events && array['*', split_part(event_type, '.', 1) || '.*', event_type]
$$;

-- The ID of a delivery, derived from its event and its endpoint, so that nothing is queued twice.
create function delivery_id(event text, endpoint_id uuid) returns uuid immutable language sql
  return encode(substring(sha256(convert_to(event || ' ' || endpoint_id, 'UTF8')) from 1 for 16),
    'hex')::uuid;

-- Queues an event that is not a change, such as a notice, at most once. close_change() queues the
-- events of changes.
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
  from listeners_of(event_type, event_env) e
  on conflict (id) do nothing;
  perform set_config('kr.envs', envs, true);
end $$;
revoke execute on function queue_event from public;
grant execute on function queue_event to kr_worker;

-- Notices about keys that expire soon or aren't used.
create table notice_marks (
  kind  text        primary key,
  until timestamptz not null -- notices up to this time have been queued
);
alter table notice_marks enable row level security;
alter table notice_marks force row level security;
create policy noticing on notice_marks to kr_worker using (true);
grant select, insert, update on notice_marks to kr_worker;
call back_up('notice_marks');
