-- A sign-up that creates no account inserts a row here instead, with the columns and indexes of
-- users and random text of the same length. So the size of the write-ahead log does not reveal
-- whether the address has an account. The worker deletes the rows.
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

-- If only invited people may sign up, the gate checks whether an address has an open invitation.
create index invites_by_address on invites (lower(email));
create policy gate on invites for select to kr_gate using (true);
grant select (email, expires_at, accepted_at, revoked_at) on invites to kr_gate;
