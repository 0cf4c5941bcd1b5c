-- Credentials of the vendor's own backend. The secret is not stored: a key is found by its SHA-256.
create table secret_keys (
  id                uuid        primary key,
  workspace_id      uuid        not null default reach_workspace() references workspaces,
  env               env         not null,
  lookup_hash       bytea       not null check (octet_length(lookup_hash) = 32),
  display_prefix    text        not null,
  name              text,
  meta              json        not null,
  expires_at        timestamptz,           -- the earliest of all expiries set for the key
  vendor_expires_at timestamptz,           -- set by the vendor: a rotated key inherits it
  revoked_at        timestamptz,
  revoked_reason    text,
  quarantined_at    timestamptz,
  quarantine_reason text,
  rotated_from      uuid        references secret_keys,
  created_at        timestamptz not null,
  authority         member_role not null check (authority <> 'member'), -- of its creator
  -- A user or a secret key; null: created with the bootstrap token, or unknown.
  created_by        uuid,
  -- The size of meta, stored so that meta need not be read.
  meta_bytes        int         not null generated always as (octet_length(meta::text)) stored,
  constraint secret_keys_lookup_hash unique (lookup_hash)
);
create index secret_keys_newest on secret_keys (workspace_id, created_at desc, id desc);
create index secret_keys_ending on secret_keys (expires_at, id)
  where revoked_at is null and expires_at is not null;
call protect('secret_keys');
call audit('secret_keys');
grant select on secret_keys to kr_read;
grant select, insert, update on secret_keys to kr_write;

-- The last use changes with every request, so it is stored separately from secret_keys, whose
-- changes are audited.
create table secret_key_uses (
  secret_key_id uuid        primary key references secret_keys,
  workspace_id  uuid        not null,
  used_at       timestamptz not null
);
call protect('secret_key_uses');
grant select on secret_key_uses to kr_read, kr_write;

-- Before the reach is known, the gate finds a key by the hash of the presented text, and records
-- its use.
create policy gate on secret_keys for select to kr_gate using (true);
create policy gate on secret_key_uses to kr_gate using (true);
grant select (id, workspace_id, env, lookup_hash, expires_at, revoked_at, quarantined_at, authority)
  on secret_keys to kr_gate;
grant select, insert, update on secret_key_uses to kr_gate;

-- The worker queues notices about keys that expire soon.
create policy noticing on secret_keys for select to kr_worker using (true);
grant select (id, workspace_id, env, display_prefix, expires_at, revoked_at)
  on secret_keys to kr_worker;

-- Looks across environments, never across workspaces: distinguishes a key in the other environment
-- from a key that doesn't exist.
create function env_of_secret_key(key_id uuid) returns env language plpgsql as $$
declare
  envs  constant text := current_setting('kr.envs');
  found_env env;
begin
  perform set_config('kr.envs', 'live,test', true);
  select env into found_env from secret_keys where id = key_id;
  perform set_config('kr.envs', envs, true);
  return found_env;
end $$;
