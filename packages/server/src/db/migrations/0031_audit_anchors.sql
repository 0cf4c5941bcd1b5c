-- Anchors: signed heads of audit chains, kept outside the database. With them a log whose end was
-- cut off, or that was rewritten and hashed again, no longer verifies.

-- A key signs for one purpose. The list is closed; a later migration may extend it.
alter table signing_keys
  add column purpose text not null default 'embed_token'
    check (purpose in ('embed_token', 'audit_anchor')),
  -- Null: the key has ended. Only its public half is kept, because its anchors still verify.
  alter column sealed_private drop not null,
  add constraint signing_keys_private check (sealed_private is not null or purpose = 'audit_anchor'),
  drop constraint signing_keys_generation,
  add constraint signing_keys_generation unique (purpose, generation);
alter table signing_keys alter column purpose drop default;
grant select (purpose) on signing_keys to kr_read;
create policy kept_for_good on signing_keys as restrictive for delete to kr_worker
  using (purpose <> 'audit_anchor');

-- The newest anchor of each chain.
create table audit_anchors (
  workspace_id uuid        primary key,
  number       bigint      not null, -- in the order of signing, over all chains
  seq          bigint      not null,
  hash         text        not null check (length(hash) = 64),
  occurred_at  timestamptz not null, -- of the row
  count        bigint      not null, -- rows of the chain up to this one
  anchored_at  timestamptz not null,
  kid          uuid        not null,
  signature    text        not null
);
create unique index audit_anchors_number on audit_anchors (number);
call protect('audit_anchors');
create policy anchoring on audit_anchors to kr_worker using (true);
grant select on audit_anchors to kr_read;
grant select, insert, update on audit_anchors to kr_worker;

-- The worker compares each head with the newest anchor, and the anchored row with its hash then.
create policy anchoring on audit_heads for select to kr_worker using (true);
grant select (workspace_id, seq, hash, occurred_at) on audit_heads to kr_worker;
create policy anchoring on audit_logs for select to kr_worker using (true);
grant select (workspace_id, seq, hash) on audit_logs to kr_worker;
-- For a check of all chains, also of a workspace whose head was deleted.
create policy anchoring on workspaces for select to kr_worker using (true);
grant select (id) on workspaces to kr_worker;

-- How far each place outside the database has the anchors.
create table audit_anchor_places (
  place        text        primary key, -- a digest: an address may contain a credential
  label        text        not null,    -- for people
  number       bigint      not null,    -- anchors up to this number were appended
  began_at     timestamptz not null,    -- when the place began with the newest anchor of each chain
  tried_at     timestamptz not null,
  delivered_at timestamptz,             -- null: never
  last_error   text                     -- null: the last attempt succeeded
);
alter table audit_anchor_places enable row level security;
alter table audit_anchor_places force row level security;
create policy anchoring on audit_anchor_places to kr_worker using (true);
grant select, insert, update, delete on audit_anchor_places to kr_worker;
call back_up('audit_anchor_places');
