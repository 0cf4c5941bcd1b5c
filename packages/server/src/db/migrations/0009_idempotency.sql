-- Who runs a request that was sent twice, and what it answered. It is kept here and never in
-- memory alone: a record that is lost is a payment that is made twice.
create table idempotency_records (
  workspace_id uuid        not null default reach_workspace() references workspaces,
  env          env         not null,
  scope_hash   bytea       not null check (octet_length(scope_hash) = 32),
  fingerprint  bytea       not null check (octet_length(fingerprint) = 32),
  lock_token   text,                 -- null once the answer is stored: nobody holds it any more
  locked_until timestamptz not null, -- a lock that has lapsed may be taken over
  status       int,                  -- null until the answer is stored
  headers      json,
  body         bytea,                -- null also when it was absent or too large
  expires_at   timestamptz not null, -- from then on there is no record, whether or not it is here
  primary key (workspace_id, env, scope_hash)
);
create index idempotency_records_expired on idempotency_records (expires_at);
call protect('idempotency_records');
grant select, insert, update, delete on idempotency_records to kr_record;

create policy purging on idempotency_records to kr_worker using (true);
grant select (workspace_id, env, scope_hash, expires_at) on idempotency_records to kr_worker;
grant delete on idempotency_records to kr_worker;

-- One claim. Of any number of first ones the primary key lets one in; of those that find a lapsed
-- lock, the first to change what all of them saw. The others look again.
create function claim_idempotency(
  wanted_env env, wanted_scope bytea, wanted_print bytea, token text, lock_ms int, ttl_ms int
) returns table (
  state text, stolen boolean, retry_after_ms bigint, status int, headers json, body bytea
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
      return query select 'execute', false, null::bigint, null::int, null::json, null::bytea;
      return;
    end if;

    select * into known from idempotency_records
      where env = wanted_env and scope_hash = wanted_scope;
    continue when not found; -- released or purged meanwhile
    moment := app_now();

    if known.expires_at > moment then
      if known.fingerprint <> wanted_print then
        return query select 'mismatch', false, null::bigint, null::int, null::json, null::bytea;
        return;
      elsif known.status is not null then
        return query
          select 'replay', false, null::bigint, known.status, known.headers, known.body;
        return;
      elsif known.locked_until > moment then
        return query select 'in_progress', false,
          ceil(extract(epoch from known.locked_until - moment) * 1000)::bigint,
          null::int, null::json, null::bytea;
        return;
      end if;
    end if;

    update idempotency_records
      set fingerprint = wanted_print, lock_token = token, locked_until = moment + lock,
          status = null, headers = null, body = null, expires_at = moment + ttl
      where env = wanted_env and scope_hash = wanted_scope
        and lock_token is not distinct from known.lock_token
        and locked_until = known.locked_until and expires_at = known.expires_at;
    if found then
      return query select 'execute', known.expires_at > moment,
        null::bigint, null::int, null::json, null::bytea;
      return;
    end if;
  end loop;
end $$;
revoke execute on function claim_idempotency from public;
grant execute on function claim_idempotency to kr_record;
