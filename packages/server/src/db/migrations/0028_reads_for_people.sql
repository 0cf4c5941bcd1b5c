-- For screens that people read: the audit log by action, actor, target and time; the client of a
-- session; the creator of a secret key; and when a workspace had its first and last request.

-- Lists of one action, actor or target, with and without the live rows, which a test key does not
-- see. Comparing an enum is not leakproof, so under row level security no index could be searched
-- by env itself. The number of a row has another type than in audit_logs_seq, so that the planner
-- cannot walk that index instead.
alter table audit_logs
  add column is_live boolean not null generated always as (env is not distinct from 'live') stored;
create index audit_logs_action
  on audit_logs (workspace_id, action, is_live, (seq::float8), actor_id);
create index audit_logs_actor
  on audit_logs (workspace_id, actor_id, is_live, (seq::float8), action);
create index audit_logs_target
  on audit_logs (workspace_id, target_id, is_live, (seq::float8), action, actor_id);

-- The number of the first row at or after a moment; one more than the last if there is none. Times
-- never decrease along the chain, so about twenty rows are looked up. Environments widen for these
-- look-ups, as in audit_chain_page(); only a number is returned.
create function audit_seq_at(moment timestamptz) returns bigint language plpgsql as $$
declare
  envs   constant text := current_setting('kr.envs');
  low    bigint := 1;
  high   bigint := 1;
  middle bigint;
  row_at record;
begin
  perform set_config('kr.envs', 'live,test', true);
  select seq + 1 into high from audit_heads;
  while low < high loop
    middle := (low + high) / 2;
    select seq, occurred_at into row_at from audit_logs where seq >= middle order by seq limit 1;
    if not found or row_at.occurred_at >= moment then
      high := middle;
    else
      low := row_at.seq + 1;
    end if;
  end loop;
  perform set_config('kr.envs', envs, true);
  return low;
end $$;

alter table sessions add column user_agent text; -- null: not sent, or before this column existed

-- The person or the secret key that created it; null: the bootstrap token, or before this column.
alter table secret_keys add column created_by uuid;

-- The first and the last request with a known key, in each environment.
create table traffic_spans (
  workspace_id uuid        not null default reach_workspace(),
  env          env         not null,
  first_at     timestamptz not null,
  last_at      timestamptz not null,
  primary key (workspace_id, env)
) with (fillfactor = 50);
alter table usage_tenant_months no force row level security;
insert into traffic_spans
  select workspace_id, env, min(first_seen_at), max(last_seen_at)
  from usage_tenant_months group by workspace_id, env;
alter table usage_tenant_months force row level security;
call protect('traffic_spans');
grant select on traffic_spans to kr_read;
grant select, insert, update on traffic_spans to kr_record;

-- Telemetry writes the monthly sums of tenants; the span follows in the same transaction.
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
