-- What nodes report about their traffic, stored as sums, not as events. Counts are fractions: a
-- sampled event counts as one divided by its sample rate. They are rounded only for display.
--
-- The tables have no foreign keys to keys, tenants and projects, because these would lock the
-- referenced rows against rotations and deletions. The referenced rows are never removed, and every
-- ID is looked up before anything is recorded.

-- The events that a workspace has sent in the current minute.
create table ingest_budgets (
  workspace_id uuid   primary key default reach_workspace(),
  minute       bigint not null, -- since the epoch
  charged      bigint not null
) with (fillfactor = 50);
call protect('ingest_budgets');
grant select, insert, update on ingest_budgets to kr_record;

-- Charges the whole cost or nothing. A request that waits for the row may find it in the next
-- minute; it is then charged to that minute, so that no minute exceeds the quota. Waits take
-- seconds, so the row is at most a minute ahead; if it is further ahead, the clock was set back,
-- and the row is ignored.
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
      set minute = case when budget.minute = this_minute + 1 then budget.minute else this_minute end,
          charged = excluded.charged + case
            when budget.minute between this_minute and this_minute + 1 then budget.charged else 0 end
      where budget.minute not between this_minute and this_minute + 1
        or budget.charged + excluded.charged <= quota
    returning * into known;
  allowed := found;
  if not allowed then
    select * into known from ingest_budgets where minute between this_minute and this_minute + 1;
  end if;
  moment := app_now();
  charged := coalesce(known.charged, 0);
  reset_ms := greatest(0, ceil(
    (coalesce(known.minute, this_minute) + 1) * 60000 - extract(epoch from moment) * 1000));
  return next;
end $$;
revoke execute on function charge_ingest from public;
grant execute on function charge_ingest to kr_record;

-- Batches with an ID, kept for a while: a sender that repeats a batch gets its first receipt. The
-- environment is the sender's, so a test key can't find out what a live key sent.
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

-- This table has no environment column: a row's environment is that of its key.
create table usage_key_days (
  workspace_id uuid             not null default reach_workspace(),
  key_id       uuid             not null,
  day          date             not null, -- in UTC, like all dates below
  requests     double precision not null,
  errors       double precision not null,
  last_at      timestamptz,               -- the last allowed request; null: none
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

-- The number of rows that a workspace has in usage_tenant_months, which is limited.
create table tenant_month_totals (
  workspace_id uuid   primary key references workspaces,
  months       bigint not null
) with (fillfactor = 50);
call protect('tenant_month_totals');
grant select, insert, update on tenant_month_totals to kr_record;

create function count_tenant_months() returns trigger language plpgsql as $$
begin
  insert into tenant_month_totals as known (workspace_id, months)
    select workspace_id, count(*) from added group by workspace_id
    on conflict (workspace_id) do update set months = known.months + excluded.months;
  return null;
end $$;
create trigger counted after insert on usage_tenant_months
  referencing new table as added for each statement
  execute function count_tenant_months();

-- The first and the last request with a known key, in each environment.
create table traffic_spans (
  workspace_id uuid        not null default reach_workspace(),
  env          env         not null,
  first_at     timestamptz not null,
  last_at      timestamptz not null,
  primary key (workspace_id, env)
) with (fillfactor = 50);
call protect('traffic_spans');
grant select on traffic_spans to kr_read;
grant select, insert, update on traffic_spans to kr_record;

-- Telemetry writes the monthly sums of tenants. This trigger widens the span in the same
-- transaction.
create function widen_traffic_spans() returns trigger language plpgsql as $$
begin
  insert into traffic_spans as known (workspace_id, env, first_at, last_at)
    select workspace_id, env, min(first_seen_at), max(last_seen_at)
    from written group by workspace_id, env order by workspace_id, env
    on conflict (workspace_id, env) do update
      set first_at = least(known.first_at, excluded.first_at),
          last_at = greatest(known.last_at, excluded.last_at)
      where excluded.first_at < known.first_at or excluded.last_at > known.last_at;
  return null;
end $$;
create trigger span_of_new after insert on usage_tenant_months
  referencing new table as written for each statement execute function widen_traffic_spans();
create trigger span_of_known after update on usage_tenant_months
  referencing new table as written for each statement execute function widen_traffic_spans();

-- For charts. Kept for a short time.
create table usage_hours (
  workspace_id uuid               not null default reach_workspace(),
  project_id   uuid               not null,
  env          env                not null,
  hour         timestamptz        not null,
  requests     double precision   not null,
  errors       double precision   not null,
  degraded     double precision   not null,
  latency      double precision[] not null, -- allowed requests by bucket
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
  reason       text             not null, -- one of a fixed list
  requests     double precision not null,
  primary key (workspace_id, hour, project_id, env, reason)
) with (fillfactor = 50);
create index usage_denials_old on usage_denials (hour);
call protect('usage_denials');
grant select on usage_denials to kr_read;
grant select, insert, update on usage_denials to kr_record;

-- The IDs in a batch that do not belong to this workspace. A key in the workspace's other
-- environment is marked with is_beyond: keys are looked up in both environments, but never in other
-- workspaces.
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

-- Adds batches to all sums and stores their receipts, all or nothing. If one of the batches has
-- been recorded before, it does nothing and returns false. Tables are locked in one order, and
-- their rows in the order of their key, so that concurrent batches never deadlock. The current
-- hour, which all of them share, comes last, so it is locked for the shortest time.
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
        raise exception 'a batch has been recorded before' using errcode = 'KR006';
      end if;
    exception when sqlstate 'KR006' then
      return false; -- the receipts of the other batches are undone
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

-- Calls record_usage(), and undoes all of it if it adds tenant months beyond the limit.
create function record_usage_within(
  months_max bigint,
  batches uuid[], sender_env env, accepted_counts int[], dropped_counts bigint[],
  key_ids uuid[], days date[], day_requests float8[], day_errors float8[], day_lasts float8[],
  tenant_months json, hours json, denials json
) returns boolean language plpgsql as $$
declare
  months_before bigint;
  months_after  bigint;
  recorded      boolean;
begin
  select coalesce(sum(months), 0) into months_before from tenant_month_totals;
  recorded := record_usage(batches, sender_env, accepted_counts, dropped_counts,
    key_ids, days, day_requests, day_errors, day_lasts, tenant_months, hours, denials);
  select coalesce(sum(months), 0) into months_after from tenant_month_totals;
  if months_after > months_before and months_after > months_max then
    raise exception 'the tenant months of a workspace exceed their limit' using errcode = 'KR008';
  end if;
  return recorded;
end $$;
revoke execute on function record_usage_within from public;
grant execute on function record_usage_within to kr_record;

-- The worker deletes old rows in batches, and queues notices about unused keys.
create policy purging on ingest_batches to kr_worker using (true);
create policy purging on usage_key_days to kr_worker using (true);
create policy purging on usage_hours to kr_worker using (true);
create policy purging on usage_denials to kr_worker using (true);
grant select (workspace_id, batch_id, env, received_at), delete on ingest_batches to kr_worker;
grant select (key_id, day, last_at), delete on usage_key_days to kr_worker;
grant select (workspace_id, hour, project_id, env), delete on usage_hours to kr_worker;
grant select (workspace_id, hour, project_id, env, reason), delete on usage_denials to kr_worker;
