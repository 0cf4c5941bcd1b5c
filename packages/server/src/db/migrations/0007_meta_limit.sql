-- The limit on the bytes of meta in a workspace.

-- The first KiB of a row does not count; it is about the size of a row with its indexes and its
-- audit row. Revoked rows are kept, and a large number of small rows must not use up the limit
-- permanently.
create function counted_meta_bytes(meta_bytes int) returns int immutable language sql
  return greatest(meta_bytes - 1024, 0);

create function meta_bytes_max() returns bigint immutable language sql
  return 256 * 1024 * 1024::bigint;

create table meta_totals (
  workspace_id uuid   primary key references workspaces,
  bytes        bigint not null
) with (fillfactor = 50);
call protect('meta_totals');

-- Counts at commit, when the transaction holds the lock on the workspace's audit head anyway, so
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

-- For dry runs: raises what count_meta() would raise at the commit of a change that stores
-- `bytes_after` bytes.
create function refuse_meta_beyond(bytes_before int, bytes_after int) returns void stable
language plpgsql security definer set search_path = keyrail, pg_catalog, pg_temp as $$
declare
  added constant int := counted_meta_bytes(bytes_after) - counted_meta_bytes(bytes_before);
  total constant bigint :=
    coalesce((select bytes from meta_totals where workspace_id = reach_workspace()), 0);
begin
  if added > 0 and total + added > meta_bytes_max() then
    raise exception 'the meta of a workspace exceeds its limit' using errcode = 'KR007';
  end if;
end $$;
revoke execute on function refuse_meta_beyond from public;
grant execute on function refuse_meta_beyond to kr_read;
