-- Responses that are kept for repeated requests: requests that nodes protect with claims, and
-- requests to the control plane itself.

-- The node that runs a repeated request, and the response. Records are stored in the database and
-- never only in memory, because a lost record could mean that a payment is made twice.
create table idempotency_records (
  workspace_id uuid        not null default reach_workspace() references workspaces,
  env          env         not null,
  scope_hash   bytea       not null check (octet_length(scope_hash) = 32),
  fingerprint  bytea       not null check (octet_length(fingerprint) = 32),
  lock_token   text,                 -- null once the response is stored: the lock has no holder
  locked_until timestamptz not null, -- an expired lock may be taken over
  status       int,                  -- null until the response is stored
  headers      json,                 -- only if the response is not sealed
  body         bytea,                -- likewise; also null if it was absent or too large
  sealed       bytea,                -- headers and body
  stored_bytes int         not null default 0, -- of `sealed`
  expires_at   timestamptz not null, -- after this there is no record, even if the row exists
  primary key (workspace_id, env, scope_hash)
);
create index idempotency_records_expired on idempotency_records (expires_at);
call protect('idempotency_records');
grant select, insert, update, delete on idempotency_records to kr_record;
create policy purging on idempotency_records to kr_worker using (true);
grant select (workspace_id, env, scope_hash, expires_at), delete on idempotency_records to kr_worker;

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

-- A purge deletes a thousand rows from any number of workspaces. It locks their totals in one order
-- and after all records, so a transaction that holds a total never waits for another lock.
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

-- Makes a claim. If several claims are the first for a scope, the primary key lets only one of them
-- insert the row. If several find an expired lock, the first to update the row gets the lock. For
-- the others the row no longer has the values they read, so they look again.
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
    continue when not found; -- released or purged in between
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

-- Responses to requests with an idempotency key. A record is written in the transaction of the
-- change that it belongs to, so neither exists without the other.
create table kept_responses (
  workspace_id     uuid        not null default reach_workspace() references workspaces,
  env              env         not null, -- of the credential; live for a session
  -- The hash of the workspace, the environment, the caller and the idempotency key.
  key_hash         bytea       not null check (octet_length(key_hash) = 32),
  fingerprint      bytea       not null check (octet_length(fingerprint) = 32), -- of the request
  response         text        not null, -- JSON, without secrets
  ends_secret_keys uuid[]      not null, -- a replay waits until no process caches these keys
  kept_at          timestamptz not null,
  expires_at       timestamptz not null, -- after this there is no record, even if the row exists
  -- For an index: under row level security no index can be searched by an enum.
  is_test          boolean     not null generated always as (env = 'test') stored,
  primary key (workspace_id, key_hash)
);
create index kept_responses_expired on kept_responses (expires_at);
-- Sorted by kept_at, so that the planner cannot use the index above instead.
create index kept_responses_oldest on kept_responses (workspace_id, is_test, kept_at);
call protect('kept_responses');

-- Bytes of the records of each workspace and environment.
create table kept_response_totals (
  workspace_id uuid   not null default reach_workspace() references workspaces,
  env          env    not null,
  bytes        bigint not null,
  primary key (workspace_id, env)
) with (fillfactor = 50);
call protect('kept_response_totals');

-- Doors call the functions below and have no rights on the tables. The worker removes rows.
create policy purging on kept_responses to kr_worker using (true);
grant select (workspace_id, env, key_hash, response, expires_at) on kept_responses to kr_worker;
grant delete on kept_responses to kr_worker;
create policy purging on kept_response_totals to kr_worker using (true);
grant select, update on kept_response_totals to kr_worker;

create function kept_bytes_max() returns bigint immutable language sql
  return 128 * 1024 * 1024::bigint;

-- 512: about the size of a row with its indexes, without the response.
create function kept_bytes(response text) returns int immutable language sql
  return octet_length(response) + 512;

-- Locks totals in one order and after all records: see count_removed_responses().
create function uncount_kept_responses() returns trigger language plpgsql as $$
declare
  freed record;
begin
  for freed in
    select workspace_id, env, sum(kept_bytes(response)) as bytes
    from removed group by 1, 2 order by 1, 2
  loop
    update kept_response_totals set bytes = kept_response_totals.bytes - freed.bytes
      where workspace_id = freed.workspace_id and env = freed.env;
  end loop;
  return null;
end $$;
create trigger uncounted after delete on kept_responses
  referencing old table as removed for each statement
  execute function uncount_kept_responses();

-- Finds the record of a key. It is the first statement of a transaction, and its lock lasts until
-- the transaction ends. If another transaction holds the lock, this one does not wait: the first
-- request is still running. The query has a newer snapshot than the lock, so it sees what the last
-- holder wrote.
create function find_kept_response(own_key bytea)
returns table (running boolean, fingerprint bytea, response text, ends_secret_keys uuid[])
language plpgsql security definer set search_path = keyrail, pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  if not pg_try_advisory_xact_lock(
    ('x' || encode(substring(own_key from 1 for 8), 'hex'))::bit(64)::bigint
  ) then
    return query select true, null::bytea, null::text, null::uuid[];
    return;
  end if;
  return query select false, kept.fingerprint, kept.response, kept.ends_secret_keys
    from kept_responses kept
    where kept.workspace_id = reach_workspace() and kept.key_hash = own_key
      and kept.expires_at > app_now();
end $$;
revoke execute on function find_kept_response from public;
grant execute on function find_kept_response to kr_write;

-- Writes a record, just before COMMIT. If the workspace then has too many bytes of records in this
-- environment, the oldest records are deleted.
create function keep_response(
  own_env env, own_key bytea, own_fingerprint bytea, own_response text, ended uuid[], kept_ms int
) returns void
language plpgsql security definer set search_path = keyrail, pg_catalog, pg_temp as $$
declare
  workspace constant uuid := reach_workspace();
  for_test  constant boolean := own_env = 'test';
  total     bigint;
begin
  delete from kept_responses
    where workspace_id = workspace and key_hash = own_key and expires_at <= app_now();
  insert into kept_responses
    (env, key_hash, fingerprint, response, ends_secret_keys, kept_at, expires_at)
    values (own_env, own_key, own_fingerprint, own_response, ended,
      app_now(), app_now() + kept_ms * interval '1 millisecond');
  insert into kept_response_totals as known (env, bytes)
    values (own_env, kept_bytes(own_response))
    on conflict (workspace_id, env) do update set bytes = known.bytes + excluded.bytes
    returning bytes into total;
  while total > kept_bytes_max() loop
    -- Skips records that the worker is deleting, because the worker waits for the lock on the
    -- total.
    delete from kept_responses where workspace_id = workspace and key_hash = any (array(
      select key_hash from kept_responses
      where workspace_id = workspace and is_test = for_test and key_hash <> own_key
      order by kept_at limit 100 for update skip locked));
    exit when not found;
    select bytes into total from kept_response_totals
      where workspace_id = workspace and env = own_env;
  end loop;
end $$;
revoke execute on function keep_response from public;
grant execute on function keep_response to kr_write;
