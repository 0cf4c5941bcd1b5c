-- A vendor's account, and the log of every change in it.
create table workspaces (
  id            uuid        primary key,
  name          text        not null,
  slug          text        not null,
  billing_email text,
  embed_origins text[]      not null,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  created_by    uuid,       -- null: created with the bootstrap token, or unknown
  constraint workspaces_slug unique (slug)
);
call protect('workspaces', 'id');
call audit('workspaces', 'id');
grant select on workspaces to kr_read;
grant select, insert, update on workspaces to kr_write;
create policy gate on workspaces for select to kr_gate using (true);
grant select (id, name, slug, embed_origins, created_at, created_by) on workspaces to kr_gate;

-- The head of each workspace's audit chain, which the next row links to. It is the one row that
-- every change in a workspace locks, so it is locked last, and only by close_change().
create table audit_heads (
  workspace_id uuid        primary key,
  seq          bigint      not null,
  hash         text        not null check (length(hash) = 64),
  occurred_at  timestamptz not null,
  change_id    uuid        not null, -- the last change that appended rows: the guard looks for it
  -- Whether a change has to look for webhook endpoints. Every change reads this row anyway, so
  -- changes in a workspace without endpoints cost nothing extra.
  listens      boolean     not null default false
);
create index audit_heads_listening on audit_heads (workspace_id) where listens;
call protect('audit_heads');
grant select on audit_heads to kr_read, kr_write;

create table audit_logs (
  id           uuid        primary key,
  workspace_id uuid        not null references workspaces,
  seq          bigint      not null,
  occurred_at  timestamptz not null,
  actor_type   text        not null,
  actor_id     text,                -- null for the bootstrap token and the system
  action       text        not null,
  target_type  text        not null,
  target_id    uuid        not null,
  env          env,                 -- of the key that the row is about; null: none
  payload      text        not null, -- the canonical bytes that were hashed, never serialised again
  prev_hash    text        not null,
  hash         text        not null,
  -- Comparing an enum is not leakproof, so under row level security no index can be searched by
  -- env.
  is_live      boolean     not null generated always as (env is not distinct from 'live') stored,
  constraint audit_logs_seq unique (workspace_id, seq)
);
-- The log as a test key sees it: without the live rows, of which there may be many.
create index audit_logs_not_live on audit_logs (workspace_id, seq) where env is null or env = 'test';
-- Finds the secret keys that a user created: through their creation, or through the rotation that
-- created them.
create index audit_logs_minted on audit_logs (workspace_id, actor_id, seq)
  where action in ('secret_key.created', 'secret_key.rotated');
-- Lists of one action, actor or target. seq has a different type than in audit_logs_seq, so that
-- the planner cannot use that index instead.
create index audit_logs_action
  on audit_logs (workspace_id, action, is_live, (seq::float8), actor_id);
create index audit_logs_actor
  on audit_logs (workspace_id, actor_id, is_live, (seq::float8), action);
create index audit_logs_target
  on audit_logs (workspace_id, target_id, is_live, (seq::float8), action, actor_id);
call protect('audit_logs');
-- No role may insert, update or delete: only close_change() writes rows. This trigger stops the
-- owner as well, and the hashes reveal it if the owner drops the trigger first.
create function refuse_rewriting() returns trigger language plpgsql as $$
begin
  raise exception 'audit rows are never changed' using errcode = 'KR003';
end $$;
create trigger never_changed before update or delete or truncate on audit_logs
  for each statement execute function refuse_rewriting();
grant select on audit_logs to kr_read, kr_write;

-- Reads the chain across environments, never across workspaces: a chain has rows of both
-- environments, and a caller that verifies it only gets hashes. (A SET clause on the function would
-- require a superuser.)
create function audit_chain_page(after_seq bigint, page_size int)
returns setof audit_logs language plpgsql as $$
declare
  envs constant text := current_setting('kr.envs');
begin
  perform set_config('kr.envs', 'live,test', true);
  return query select * from audit_logs where seq > after_seq order by seq limit page_size;
  perform set_config('kr.envs', envs, true);
end $$;

-- The number of the first row at or after a given time, or one more than the last number if there
-- is no such row. Times never decrease along the chain, so about twenty rows are looked up. It
-- reads across environments, as audit_chain_page() does, but returns only a number.
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

-- Anchors are signed heads of audit chains, kept outside the database. With them, a log that was
-- cut short, or rewritten and hashed again, no longer verifies. This table has the newest anchor of
-- each chain.
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

-- The worker compares each head with the newest anchor, and the anchored row with its hash.
create policy anchoring on audit_heads for select to kr_worker using (true);
create policy anchoring on audit_logs for select to kr_worker using (true);
grant select (workspace_id, seq, hash) on audit_logs to kr_worker;
-- The worker checks all chains, even if a workspace's head was deleted.
create policy anchoring on workspaces for select to kr_worker using (true);
grant select (id) on workspaces to kr_worker;
-- The worker queues notices for workspaces that have webhook endpoints.
create policy noticing on audit_heads for select to kr_worker using (true);
grant select (workspace_id, seq, hash, occurred_at, listens) on audit_heads to kr_worker;

-- The destinations of anchors outside the database, and how many anchors each of them has.
create table audit_anchor_places (
  place        text        primary key, -- a digest, because an address may contain a credential
  label        text        not null,    -- for display
  number       bigint      not null,    -- anchors up to this number were appended
  began_at     timestamptz not null,    -- when it was given the newest anchor of each chain
  tried_at     timestamptz not null,
  delivered_at timestamptz,             -- null: never
  last_error   text                     -- null: the last attempt succeeded
);
alter table audit_anchor_places enable row level security;
alter table audit_anchor_places force row level security;
create policy anchoring on audit_anchor_places to kr_worker using (true);
grant select, insert, update, delete on audit_anchor_places to kr_worker;
call back_up('audit_anchor_places');
