-- The vendor's account, and the log of everything that is done in it.
create table workspaces (
  id            uuid        primary key,
  name          text        not null,
  slug          text        not null,
  billing_email text,
  embed_origins text[]      not null,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  constraint workspaces_slug unique (slug)
);
call protect('workspaces', 'id');
call audit('workspaces', 'id');
grant select on workspaces to kr_read;
grant select, insert, update on workspaces to kr_write;

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
  env          env,                 -- of the key the row is about; null belongs to no environment
  payload      text        not null, -- the canonical bytes that were hashed, never re-serialised
  prev_hash    text        not null,
  hash         text        not null,
  constraint audit_logs_seq unique (workspace_id, seq)
);
call protect('audit_logs');
-- No role is granted insert, update or delete: rows come from close_change() alone. Against the
-- owner's own hand there is a trigger, and against the hand that drops it, the hashes.
create function refuse_rewriting() returns trigger language plpgsql as $$
begin
  raise exception 'audit rows are never changed' using errcode = 'KR003';
end $$;
create trigger never_changed before update or delete or truncate on audit_logs
  for each statement execute function refuse_rewriting();
grant select on audit_logs to kr_read, kr_write;

-- Environments widen, the workspace never does: the chain holds rows of both, and whoever may ask
-- whether it is whole learns only hashes. (A SET clause on the function would need a superuser.)
create function audit_chain_page(after_seq bigint, page_size int)
returns setof audit_logs language plpgsql as $$
declare
  envs constant text := current_setting('kr.envs');
begin
  perform set_config('kr.envs', 'live,test', true);
  return query select * from audit_logs where seq > after_seq order by seq limit page_size;
  perform set_config('kr.envs', envs, true);
end $$;
