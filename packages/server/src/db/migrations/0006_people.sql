-- People, and what they are to workspaces. A person belongs to no workspace, so these tables are
-- walled off by role: only the gate reads and writes them freely, and the other doors see of a
-- person what a fellow member may see.
create function reach_user() returns uuid stable parallel safe language sql
  return nullif(current_setting('kr.user', true), '')::uuid;

create table users (
  id                uuid        primary key,
  email             text        not null, -- as typed
  email_key         text        not null, -- as compared: lower case
  email_verified_at timestamptz,
  name              text,
  password_hash     text        not null,
  last_workspace_id uuid,                 -- where the next login starts
  created_at        timestamptz not null,
  last_login_at     timestamptz,
  constraint users_email_key unique (email_key)
);
alter table users enable row level security;
alter table users force row level security;

create table memberships (
  id           uuid        primary key,
  workspace_id uuid        not null default reach_workspace() references workspaces,
  user_id      uuid        not null references users,
  role         member_role not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  removed_at   timestamptz
);
create unique index memberships_current on memberships (workspace_id, user_id)
  where removed_at is null;
create index memberships_of_user on memberships (user_id, created_at) where removed_at is null;
call protect('memberships');
call audit('memberships');
grant select on memberships to kr_read;
grant select, insert, update on memberships to kr_write;
create policy gate on memberships for select to kr_gate using (true);
grant select on memberships to kr_gate;

-- The gate signs people up and in; a workspace sees its members, past ones too (they are in its
-- history), and a person always sees himself.
create policy gate on users to kr_gate using (true);
create policy fellows on users for select to kr_read, kr_write
  using (id = (select reach_user())
         or exists (select from memberships m where m.user_id = users.id));
create policy oneself on users for update to kr_write using (id = (select reach_user()));
grant select, insert, update on users to kr_gate;
grant select (id, email, email_key, email_verified_at, name) on users to kr_read, kr_write;
grant update (email_verified_at, last_workspace_id) on users to kr_write;

create policy gate on workspaces for select to kr_gate using (true);
grant select (id, name, slug) on workspaces to kr_gate;

create table sessions (
  id                  uuid        primary key,
  user_id             uuid        not null references users,
  lookup_hash         bytea       not null check (octet_length(lookup_hash) = 32),
  display_prefix      text        not null,
  active_workspace_id uuid,
  created_at          timestamptz not null,
  last_seen_at        timestamptz not null,
  expires_at          timestamptz not null, -- slides with use
  absolute_expires_at timestamptz not null, -- never does
  ended_at            timestamptz,
  constraint sessions_lookup_hash unique (lookup_hash)
);
create index sessions_of_user on sessions (user_id, created_at desc, id desc)
  where ended_at is null;
alter table sessions enable row level security;
alter table sessions force row level security;
create policy gate on sessions to kr_gate using (true);
create policy oneself on sessions to kr_write using (user_id = (select reach_user()));
grant select, insert, update on sessions to kr_gate;
grant select (id, user_id, active_workspace_id) on sessions to kr_write;
grant update (active_workspace_id) on sessions to kr_write;

create type token_purpose as enum ('verify_email', 'password_reset');

-- Only the hash of a one-time token is kept. Consuming is one conditional update.
create table one_time_tokens (
  id          uuid          primary key,
  user_id     uuid          not null references users,
  purpose     token_purpose not null,
  token_hash  bytea         not null check (octet_length(token_hash) = 32),
  created_at  timestamptz   not null,
  expires_at  timestamptz   not null,
  ended_at    timestamptz,  -- consumed, or replaced by a newer one
  constraint one_time_tokens_hash unique (token_hash)
);
create index one_time_tokens_open on one_time_tokens (user_id, purpose) where ended_at is null;
alter table one_time_tokens enable row level security;
alter table one_time_tokens force row level security;
create policy gate on one_time_tokens to kr_gate using (true);
grant select, insert, update on one_time_tokens to kr_gate;

create table invites (
  id              uuid        primary key,
  workspace_id    uuid        not null default reach_workspace() references workspaces,
  email           text        not null,
  role            member_role not null,
  invited_by      uuid        references users, -- null when a secret key invited
  token_hash      bytea       not null check (octet_length(token_hash) = 32),
  mail_token_hash bytea       not null check (octet_length(mail_token_hash) = 32),
  created_at      timestamptz not null,
  expires_at      timestamptz not null,
  accepted_at     timestamptz,
  revoked_at      timestamptz
);
create index invites_newest on invites (workspace_id, created_at desc, id desc);
call protect('invites');
call audit('invites');
grant select on invites to kr_read;
grant select, insert, update on invites to kr_write;
