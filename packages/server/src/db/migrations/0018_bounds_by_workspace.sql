-- Limits of a workspace: the bytes in `meta`, and the rows of monthly sums of its tenants.

-- The size of a row's `meta`, known without reading it.
alter table tenants add column meta_bytes int not null
  generated always as (octet_length(meta::text)) stored;
alter table api_keys add column meta_bytes int not null
  generated always as (octet_length(meta::text)) stored;
alter table secret_keys add column meta_bytes int not null
  generated always as (octet_length(meta::text)) stored;

-- The first KiB of a row does not count; it is about the size of a row with its indexes and its
-- audit row. Revoked rows are kept, and many small ones must not use up the limit for good.
create function counted_meta_bytes(meta_bytes int) returns int immutable language sql
  return greatest(meta_bytes - 1024, 0);

create function meta_bytes_max() returns bigint immutable language sql
  return 256 * 1024 * 1024::bigint;

create table meta_totals (
  workspace_id uuid   primary key references workspaces,
  bytes        bigint not null
) with (fillfactor = 50);

create table tenant_month_totals (
  workspace_id uuid   primary key references workspaces,
  months       bigint not null -- rows of usage_tenant_months
) with (fillfactor = 50);

-- Totals of existing rows. Row level security also applies to the owner, so it is lifted here.
alter table tenants no force row level security;
alter table api_keys no force row level security;
alter table secret_keys no force row level security;
alter table usage_tenant_months no force row level security;
insert into meta_totals
  select workspace_id, sum(counted_meta_bytes(meta_bytes)) from (
    select workspace_id, meta_bytes from tenants
    union all select workspace_id, meta_bytes from api_keys
    union all select workspace_id, meta_bytes from secret_keys) written
  where meta_bytes > 1024 group by workspace_id;
insert into tenant_month_totals
  select workspace_id, count(*) from usage_tenant_months group by workspace_id;
alter table tenants force row level security;
alter table api_keys force row level security;
alter table secret_keys force row level security;
alter table usage_tenant_months force row level security;

call protect('meta_totals');
call protect('tenant_month_totals');

-- Counts at commit, when the transaction holds the lock on the workspace's audit head anyway. So
-- the lock on this row adds no waiting. Only a write that adds bytes can be refused.
create function count_meta() returns trigger language plpgsql
security definer set search_path = keyrail, pg_catalog, pg_temp as $$
declare
  added int := counted_meta_bytes(new.meta_bytes);
  total bigint;
begin
  if tg_op = 'UPDATE' then
    added := added - counted_meta_bytes(old.meta_bytes);
  end if;
  insert into meta_totals as known (workspace_id, bytes) values (new.workspace_id, added)
    on conflict (workspace_id) do update set bytes = known.bytes + excluded.bytes
    returning bytes into total;
  if added > 0 and total > meta_bytes_max() then
    raise exception 'the meta of a workspace exceeds its limit' using errcode = 'KR007';
  end if;
  return null;
end $$;

create procedure bound_meta(target regclass) language plpgsql as $$
begin
  execute format('create constraint trigger meta_added after insert on %s
    deferrable initially deferred for each row
    when (new.meta_bytes > 1024) execute function count_meta()', target);
  execute format('create constraint trigger meta_changed after update of meta on %s
    deferrable initially deferred for each row
    when (new.meta_bytes <> old.meta_bytes) execute function count_meta()', target);
end $$;
call bound_meta('tenants');
call bound_meta('api_keys');
call bound_meta('secret_keys');

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

-- Calls record_usage(), and refuses all of it if it adds months beyond the limit.
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
