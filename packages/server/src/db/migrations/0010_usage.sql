-- What nodes tell of the traffic they saw, kept as sums: no event is stored. Counts are fractions,
-- because an event that was sampled stands for one divided by its rate; whoever answers rounds.
--
-- No table here refers to keys, tenants or projects by a foreign key: that would lock the rows it
-- names against whoever rotates or deletes them. Those rows are never removed, and every id is
-- looked up before anything is recorded.

-- The events that a workspace has sent in the current minute.
create table ingest_budgets (
  workspace_id uuid   primary key default reach_workspace(),
  minute       bigint not null, -- since the epoch
  charged      bigint not null
) with (fillfactor = 50);
call protect('ingest_budgets');
grant select, insert, update on ingest_budgets to kr_record;

-- One charge, all of it or nothing. Who waited for the row into the next minute still pays for the
-- minute in which he asked, so that no minute ever holds more than the quota.
create function charge_ingest(cost bigint, quota bigint)
returns table (allowed boolean, charged bigint, reset_ms int, moment timestamptz)
language plpgsql as $$
#variable_conflict use_column
declare
  asked_at    constant timestamptz := app_now();
  this_minute constant bigint := floor(extract(epoch from asked_at) / 60);
  known       ingest_budgets;
begin
  insert into ingest_budgets as budget (minute, charged)
    select this_minute, cost where cost <= quota
    on conflict (workspace_id) do update
      set minute = greatest(budget.minute, excluded.minute),
          charged = excluded.charged
            + case when budget.minute < excluded.minute then 0 else budget.charged end
      where budget.minute < excluded.minute or budget.charged + excluded.charged <= quota
    returning * into known;
  allowed := found;
  if not allowed then
    select * into known from ingest_budgets where minute >= this_minute;
  end if;
  moment := app_now();
  charged := coalesce(known.charged, 0);
  reset_ms := greatest(0, ceil(
    (coalesce(known.minute, this_minute) + 1) * 60000 - extract(epoch from moment) * 1000));
  return next;
end $$;
revoke execute on function charge_ingest from public;
grant execute on function charge_ingest to kr_record;

-- Batches that bore an id, for a while: whoever sends one again gets the receipt it had. The
-- environment is the sender's: a test key is told nothing of what a live one sent.
create table ingest_batches (
  workspace_id   uuid        not null default reach_workspace(),
  env            env         not null,
  batch_id       uuid        not null,
  accepted       int         not null,
  events_dropped bigint      not null,
  received_at    timestamptz not null,
  primary key (workspace_id, batch_id, env)
);
create index ingest_batches_old on ingest_batches (received_at);
call protect('ingest_batches');
grant select, insert on ingest_batches to kr_record;

-- Read by way of its key, which is what says whose it is.
create table usage_key_days (
  workspace_id uuid             not null default reach_workspace(),
  key_id       uuid             not null,
  day          date             not null, -- in UTC, as all that follow
  requests     double precision not null,
  errors       double precision not null,
  last_at      timestamptz      not null, -- the latest of its events: a key's last use is here
  primary key (key_id, day)
) with (fillfactor = 50);
create index usage_key_days_old on usage_key_days (day, key_id);
call protect('usage_key_days');
grant select on usage_key_days to kr_read, kr_write;
grant select, insert, update on usage_key_days to kr_record;

create table usage_tenant_months (
  workspace_id  uuid             not null default reach_workspace(),
  tenant_id     uuid             not null,
  project_id    uuid             not null,
  env           env              not null,
  month         date             not null, -- its first day
  request_count double precision not null,
  first_seen_at timestamptz      not null,
  last_seen_at  timestamptz      not null,
  primary key (workspace_id, month, tenant_id, project_id, env)
) with (fillfactor = 50);
call protect('usage_tenant_months');
grant select on usage_tenant_months to kr_read;
grant select, insert, update on usage_tenant_months to kr_record;

-- For charts, and not for long.
create table usage_hours (
  workspace_id uuid               not null default reach_workspace(),
  project_id   uuid               not null,
  env          env                not null,
  hour         timestamptz        not null,
  requests     double precision   not null,
  errors       double precision   not null,
  degraded     double precision   not null,
  latency      double precision[] not null, -- admitted requests by bucket; histograms add up
  primary key (workspace_id, hour, project_id, env)
) with (fillfactor = 50);
create index usage_hours_old on usage_hours (hour);
call protect('usage_hours');
grant select on usage_hours to kr_read;
grant select, insert, update on usage_hours to kr_record;

create table usage_denials (
  workspace_id uuid             not null default reach_workspace(),
  project_id   uuid             not null,
  env          env              not null,
  hour         timestamptz      not null,
  reason       text             not null, -- of a closed list
  requests     double precision not null,
  primary key (workspace_id, hour, project_id, env, reason)
) with (fillfactor = 50);
create index usage_denials_old on usage_denials (hour);
call protect('usage_denials');
grant select on usage_denials to kr_read;
grant select, insert, update on usage_denials to kr_record;

-- Which ids of a batch are not of this workspace. A key that is its own but lies across the
-- boundary is told apart: environments widen for that look, the workspace never does.
create function unknown_ids(project_ids uuid[], tenant_ids uuid[], key_ids uuid[])
returns table (kind text, id uuid, is_beyond boolean) language plpgsql as $$
#variable_conflict use_column
declare
  envs   constant text := current_setting('kr.envs');
  unseen constant uuid[] := array(
    select unnest(key_ids) except select id from api_keys where id = any (key_ids));
begin
  return query
    select 'project', unknown.*, false from (
      select unnest(project_ids) except select id from projects where id = any (project_ids)
    ) unknown;
  return query
    select 'tenant', unknown.*, false from (
      select unnest(tenant_ids) except select id from tenants where id = any (tenant_ids)
    ) unknown;
  if cardinality(unseen) > 0 then
    perform set_config('kr.envs', 'live,test', true);
    return query
      select 'API key', wanted, exists (select from api_keys where api_keys.id = wanted)
      from unnest(unseen) wanted;
    perform set_config('kr.envs', envs, true);
  end if;
end $$;
revoke execute on function unknown_ids from public;
grant execute on function unknown_ids to kr_record;

create function add_counts(one double precision[], other double precision[])
returns double precision[] immutable parallel safe language sql
  return array(select coalesce(a, 0) + coalesce(b, 0)
               from unnest(one, other) with ordinality as pair (a, b, at) order by at);

-- Instants come as milliseconds, which are read much faster than dates are.
create function moment_of(ms double precision) returns timestamptz stable language sql
  return to_timestamp(0) + ms * interval '1 millisecond';

-- Adds batches to all sums, and keeps their receipts, together or not at all. Nothing is done, and
-- false returned, when one of them was here before. Every table is locked in the same order, and
-- its rows by their key: batches that meet wait for each other, never in a circle. What all of
-- them share, the current hour, comes last and is held shortest.
create function record_usage(
  batches uuid[], sender_env env, accepted_counts int[], dropped_counts bigint[],
  key_ids uuid[], days date[], day_requests float8[], day_errors float8[], day_lasts float8[],
  tenant_months json, hours json, denials json
) returns boolean language plpgsql as $$
declare
  noted int;
begin
  if cardinality(batches) > 0 then
    begin
      insert into ingest_batches (env, batch_id, accepted, events_dropped, received_at)
        select sender_env, batch_id, accepted, dropped, app_now()
        from unnest(batches, accepted_counts, dropped_counts) as added (batch_id, accepted, dropped)
        order by batch_id
        on conflict do nothing;
      get diagnostics noted = row_count;
      if noted < cardinality(batches) then
        raise exception 'a batch was here before' using errcode = 'KR006';
      end if;
    exception when sqlstate 'KR006' then
      return false; -- the receipts of the others are taken back
    end;
  end if;

  insert into usage_key_days as known (key_id, day, requests, errors, last_at)
    select key_id, day, requests, errors, moment_of(last_ms)
    from unnest(key_ids, days, day_requests, day_errors, day_lasts)
      as added (key_id, day, requests, errors, last_ms)
    order by key_id, day
    on conflict (key_id, day) do update
      set requests = known.requests + excluded.requests,
          errors = known.errors + excluded.errors,
          last_at = greatest(known.last_at, excluded.last_at);

  insert into usage_tenant_months as known
      (tenant_id, project_id, env, month, request_count, first_seen_at, last_seen_at)
    select tenant_id, project_id, env, month, request_count,
      moment_of(first_seen_ms), moment_of(last_seen_ms)
    from json_to_recordset(tenant_months) as added (
      tenant_id uuid, project_id uuid, env env, month date,
      request_count float8, first_seen_ms float8, last_seen_ms float8)
    order by month, tenant_id, project_id, env
    on conflict (workspace_id, month, tenant_id, project_id, env) do update
      set request_count = known.request_count + excluded.request_count,
          first_seen_at = least(known.first_seen_at, excluded.first_seen_at),
          last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at);

  insert into usage_denials as known (project_id, env, hour, reason, requests)
    select project_id, env, moment_of(hour_ms), reason, requests
    from json_to_recordset(denials) as added (
      project_id uuid, env env, hour_ms float8, reason text, requests float8)
    order by hour_ms, project_id, env, reason
    on conflict (workspace_id, hour, project_id, env, reason) do update
      set requests = known.requests + excluded.requests;

  insert into usage_hours as known (project_id, env, hour, requests, errors, degraded, latency)
    select project_id, env, moment_of(hour_ms), requests, errors, degraded, latency
    from json_to_recordset(hours) as added (
      project_id uuid, env env, hour_ms float8,
      requests float8, errors float8, degraded float8, latency float8[])
    order by hour_ms, project_id, env
    on conflict (workspace_id, hour, project_id, env) do update
      set requests = known.requests + excluded.requests,
          errors = known.errors + excluded.errors,
          degraded = known.degraded + excluded.degraded,
          latency = add_counts(known.latency, excluded.latency);

  return true;
end $$;
revoke execute on function record_usage from public;
grant execute on function record_usage to kr_record;

-- What is past its time is removed by the worker, in batches.
create policy purging on ingest_batches to kr_worker using (true);
create policy purging on usage_key_days to kr_worker using (true);
create policy purging on usage_hours to kr_worker using (true);
create policy purging on usage_denials to kr_worker using (true);
grant select (workspace_id, batch_id, env, received_at), delete on ingest_batches to kr_worker;
grant select (key_id, day), delete on usage_key_days to kr_worker;
grant select (workspace_id, hour, project_id, env), delete on usage_hours to kr_worker;
grant select (workspace_id, hour, project_id, env, reason), delete on usage_denials to kr_worker;
