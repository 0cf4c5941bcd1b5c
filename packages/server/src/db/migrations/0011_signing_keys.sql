-- The keys that sign embed tokens. They belong to the deployment, not to a workspace.
create table signing_keys (
  id             uuid        primary key,       -- the `kid` of the tokens that it signs
  generation     int         not null,          -- of two that rotate at once, one gets the next
  public_key     text        not null,          -- `x` of its JWK
  sealed_private bytea       not null,          -- under the master key
  created_at     timestamptz not null,          -- published from then on
  signs_from     timestamptz not null,          -- the newest whose time has come is the one
  ends_at        timestamptz,                   -- its last token is dead; null: not replaced yet
  constraint signing_keys_generation unique (generation)
);
alter table signing_keys enable row level security;
alter table signing_keys force row level security;
create policy knowing on signing_keys for select to kr_gate, kr_read using (true);
create policy keeping on signing_keys to kr_worker using (true);
grant select on signing_keys to kr_gate;
-- Which key is the one, for whoever issues a token: nothing that signs.
grant select (id, signs_from, ends_at) on signing_keys to kr_read;
grant select, insert, update, delete on signing_keys to kr_worker;

-- Before there is a reach: whether what an embed token was signed for still holds.
create policy gate on tenants for select to kr_gate using (true);
create policy gate on projects for select to kr_gate using (true);
grant select (id, workspace_id, embed_epoch, deleted_at) on tenants to kr_gate;
grant select (id, workspace_id, deleted_at) on projects to kr_gate;
grant select (embed_origins) on workspaces to kr_gate;

-- And whose key it is that a scanner reports.
create policy gate on api_keys for select to kr_gate using (true);
grant select (id, workspace_id, lookup_hash, revoked_at, quarantined_at) on api_keys to kr_gate;
grant select (quarantined_at) on secret_keys to kr_gate;
