-- Stored responses are sealed, and their bytes are counted for each workspace and environment.
alter table idempotency_records
  add column sealed       bytea,                 -- headers and body; null in older rows
  add column stored_bytes int not null default 0; -- of `sealed`; older rows do not count

-- Bytes of the stored responses of each workspace and environment. Each total is split into 16 rows
-- by the scope, so that requests that complete at the same time seldom lock the same row.
create table idempotency_totals (
  workspace_id uuid     not null default reach_workspace() references workspaces,
  env          env      not null,
  stripe       smallint not null,
  bytes        bigint   not null,
  primary key (workspace_id, env, stripe)
) with (fillfactor = 50);
call protect('idempotency_totals');
grant select, insert, update on idempotency_totals to kr_record;
create policy purging on idempotency_totals to kr_worker using (true);
grant select, update on idempotency_totals to kr_worker;

create function idempotency_stripe(scope bytea) returns smallint immutable language sql
  return (get_byte(scope, 0) & 15)::smallint;

-- A trigger counts in the same transaction, so that no code path can forget to.
create function count_stored_response() returns trigger language plpgsql as $$
begin
  insert into idempotency_totals as known (workspace_id, env, stripe, bytes)
    values (new.workspace_id, new.env, idempotency_stripe(new.scope_hash),
      new.stored_bytes - old.stored_bytes)
    on conflict (workspace_id, env, stripe) do update set bytes = known.bytes + excluded.bytes;
  return null;
end $$;
create trigger counted after update on idempotency_records
  for each row when (new.stored_bytes <> old.stored_bytes)
  execute function count_stored_response();

-- A purge deletes a thousand rows of any number of workspaces. It locks their totals in one order
-- and after all records, so that a transaction that holds a total waits for no other lock.
create function count_removed_responses() returns trigger language plpgsql as $$
declare
  freed record;
begin
  for freed in
    select workspace_id, env, idempotency_stripe(scope_hash) as stripe, sum(stored_bytes) as bytes
    from removed where stored_bytes <> 0 group by 1, 2, 3 order by 1, 2, 3
  loop
    update idempotency_totals set bytes = idempotency_totals.bytes - freed.bytes
      where workspace_id = freed.workspace_id and env = freed.env and stripe = freed.stripe;
  end loop;
  return null;
end $$;
create trigger uncounted after delete on idempotency_records
  referencing old table as removed for each statement
  execute function count_removed_responses();

-- As before, but it also returns the sealed response, and clears it when a scope is reused.
drop function claim_idempotency;
create function claim_idempotency(
  wanted_env env, wanted_scope bytea, wanted_print bytea, token text, lock_ms int, ttl_ms int
) returns table (
  state text, stolen boolean, retry_after_ms bigint, status int, headers json, body bytea,
  sealed bytea
) language plpgsql as $$
#variable_conflict use_column
declare
  moment timestamptz;
  lock   constant interval := lock_ms * interval '1 millisecond';
  ttl    constant interval := ttl_ms * interval '1 millisecond';
  known  idempotency_records;
begin
  loop
    moment := app_now();
    insert into idempotency_records
      (env, scope_hash, fingerprint, lock_token, locked_until, expires_at)
      values (wanted_env, wanted_scope, wanted_print, token, moment + lock, moment + ttl)
      on conflict do nothing;
    if found then
      return query select 'execute', false, null::bigint, null::int, null::json, null::bytea,
        null::bytea;
      return;
    end if;

    select * into known from idempotency_records
      where env = wanted_env and scope_hash = wanted_scope;
    continue when not found; -- released or purged meanwhile
    moment := app_now();

    if known.expires_at > moment then
      if known.fingerprint <> wanted_print then
        return query select 'mismatch', false, null::bigint, null::int, null::json, null::bytea,
          null::bytea;
        return;
      elsif known.status is not null then
        return query select 'replay', false, null::bigint,
          known.status, known.headers, known.body, known.sealed;
        return;
      elsif known.locked_until > moment then
        return query select 'in_progress', false,
          ceil(extract(epoch from known.locked_until - moment) * 1000)::bigint,
          null::int, null::json, null::bytea, null::bytea;
        return;
      end if;
    end if;

    update idempotency_records
      set fingerprint = wanted_print, lock_token = token, locked_until = moment + lock,
          status = null, headers = null, body = null, sealed = null, stored_bytes = 0,
          expires_at = moment + ttl
      where env = wanted_env and scope_hash = wanted_scope
        and lock_token is not distinct from known.lock_token
        and locked_until = known.locked_until and expires_at = known.expires_at;
    if found then
      return query select 'execute', known.expires_at > moment,
        null::bigint, null::int, null::json, null::bytea, null::bytea;
      return;
    end if;
  end loop;
end $$;
revoke execute on function claim_idempotency from public;
grant execute on function claim_idempotency to kr_record;
