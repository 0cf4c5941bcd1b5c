-- Users, and their memberships in workspaces. A user doesn't belong to a workspace, so access to
-- these tables depends on the role: only the gate reads and writes them freely. The other doors see
-- what a fellow member may see.
create table users (
  id                uuid        primary key,
  email             text        not null, -- as typed
  email_key         text        not null, -- as compared: in lowercase
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
call back_up('users');

-- A sign-up that creates no account inserts a row here instead. The table has the same columns and
-- indexes as users, and the row has random text of the same length. So the size of the write-ahead
-- log does not reveal whether the address has an account. The worker deletes the rows.
create table void_sign_ups (
  id                uuid        primary key,
  email             text        not null,
  email_key         text        not null,
  email_verified_at timestamptz,
  name              text,
  password_hash     text        not null,
  last_workspace_id uuid,
  created_at        timestamptz not null,
  last_login_at     timestamptz,
  constraint void_sign_ups_email_key unique (email_key)
);
alter table void_sign_ups enable row level security;
alter table void_sign_ups force row level security;
create policy gate on void_sign_ups to kr_gate using (true);
create policy purging on void_sign_ups to kr_worker using (true);
grant select (email_key), insert on void_sign_ups to kr_gate;
grant select (id, created_at), delete on void_sign_ups to kr_worker;
call back_up('void_sign_ups');

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
-- For the list of members.
create index memberships_oldest on memberships (workspace_id, created_at, id)
  where removed_at is null;
-- For the policy on users below, which checks whether a user has ever been a member.
create index memberships_ever on memberships (user_id, workspace_id);
create index memberships_owners on memberships (workspace_id, created_at)
  where removed_at is null and role = 'owner';
call protect('memberships');
call audit('memberships');
grant select on memberships to kr_read;
grant select, insert, update on memberships to kr_write;
create policy gate on memberships for select to kr_gate using (true);
grant select on memberships to kr_gate;

-- The gate signs users up and in. A workspace sees its members, including past ones, because they
-- appear in its log. Users always see their own row.
create policy gate on users to kr_gate using (true);
create policy fellows on users for select to kr_read, kr_write
  using (id = (select reach_user())
         or exists (select from memberships m where m.user_id = users.id));
create policy oneself on users for update to kr_write using (id = (select reach_user()));
grant select, insert, update on users to kr_gate;
grant select (id, email, email_key, email_verified_at, name) on users to kr_read, kr_write;
grant update (email_verified_at, last_workspace_id) on users to kr_write;

-- The number of workspaces that a user created and still owns. One transaction inserts a workspace
-- and its creator's membership, so if created_by is null, the creator is the member whose
-- membership was created at the same time as the workspace. The lock makes concurrent creations by
-- one user wait for each other. The memberships are in other workspaces, which only the gate's role
-- can see; the caller's role is restored at the end.
create function count_created_workspaces(person uuid) returns int language plpgsql as $$
declare
  caller  constant text := current_setting('role');
  created int;
begin
  perform set_config('role', role_of('kr_' || 'gate'), true);
  perform from users where id = person for no key update;
  select count(*) into created
    from memberships m join workspaces w on w.id = m.workspace_id
    where m.user_id = person and m.role = 'owner' and m.removed_at is null
      and (w.created_by = person or (w.created_by is null and w.created_at = m.created_at));
  perform set_config('role', caller, true);
  return created;
end $$;

create table sessions (
  id                  uuid        primary key,
  user_id             uuid        not null references users,
  lookup_hash         bytea       not null check (octet_length(lookup_hash) = 32),
  display_prefix      text        not null,
  active_workspace_id uuid,
  created_at          timestamptz not null,
  last_seen_at        timestamptz not null,
  expires_at          timestamptz not null, -- extended with use
  absolute_expires_at timestamptz not null, -- never extended
  ended_at            timestamptz,
  user_agent          text,                 -- null: not sent
  constraint sessions_lookup_hash unique (lookup_hash)
);
create index sessions_of_user on sessions (user_id, created_at desc, id desc)
  where ended_at is null;
alter table sessions enable row level security;
alter table sessions force row level security;
create policy gate on sessions to kr_gate using (true);
create policy oneself on sessions to kr_write using (user_id = (select reach_user()));
create policy purging on sessions to kr_worker using (true);
grant select, insert, update on sessions to kr_gate;
grant select (id, user_id, active_workspace_id) on sessions to kr_write;
grant update (active_workspace_id) on sessions to kr_write;
grant select, delete on sessions to kr_worker;
call back_up('sessions');

create type token_purpose as enum ('verify_email', 'password_reset');

-- Only the hash of a one-time token is stored. One conditional update consumes it.
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
create policy purging on one_time_tokens to kr_worker using (true);
grant select, insert, update on one_time_tokens to kr_gate;
grant select, delete on one_time_tokens to kr_worker;
call back_up('one_time_tokens');

create table invites (
  id              uuid        primary key,
  workspace_id    uuid        not null default reach_workspace() references workspaces,
  email           text        not null,
  role            member_role not null,
  invited_by      uuid        references users, -- null: sent with a secret key
  -- Null: sent by a user, or unknown. Removing or demoting a user also revokes open invitations
  -- sent with that user's keys.
  invited_by_key  uuid,
  token_hash      bytea       not null check (octet_length(token_hash) = 32),
  mail_token_hash bytea       not null check (octet_length(mail_token_hash) = 32),
  created_at      timestamptz not null,
  expires_at      timestamptz not null,
  accepted_at     timestamptz,
  revoked_at      timestamptz
);
create index invites_newest on invites (workspace_id, created_at desc, id desc);
create index invites_by_address on invites (lower(email));
-- An invitation can be found by either of its tokens.
create index invites_token on invites (token_hash);
create index invites_mail_token on invites (mail_token_hash);
-- For the removal or demotion of a member. Not partial: statements about open invitations would
-- scan all of a partial index.
create index invites_by_inviter on invites (invited_by);
call protect('invites');
call audit('invites');
grant select on invites to kr_read;
grant select, insert, update on invites to kr_write;
-- If only invited people may sign up, the gate checks whether an address has an open invitation.
create policy gate on invites for select to kr_gate using (true);
grant select (email, expires_at, accepted_at, revoked_at) on invites to kr_gate;
