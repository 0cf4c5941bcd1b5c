-- What the worker does. Mail is queued in the transaction that causes it and sent afterwards, so
-- that there is never a mail without its cause nor a cause without its mail.
create table mail_outbox (
  id            uuid        primary key,
  kind          text        not null,
  recipient     text        not null,
  params        json        not null, -- what the message says; never a secret
  sealed_token  bytea,                -- the one-time token in it, encrypted; wiped once sent
  created_at    timestamptz not null,
  due_at        timestamptz not null,
  attempts      int         not null,
  claim         uuid,                 -- whoever holds it may mark it; a lapsed claim is anyone's
  claimed_until timestamptz,
  sent_at       timestamptz,
  failed_at     timestamptz,          -- given up
  last_error    text
);
create index mail_outbox_due on mail_outbox (due_at) where sent_at is null and failed_at is null;
alter table mail_outbox enable row level security;
alter table mail_outbox force row level security;
create policy queueing on mail_outbox for insert to kr_gate, kr_write with check (true);
create policy sending on mail_outbox to kr_worker using (true);
grant insert on mail_outbox to kr_gate, kr_write;
grant select, update, delete on mail_outbox to kr_worker;

-- One row for each worker process, renewed while it runs.
create table worker_beats (
  worker_id uuid        primary key,
  seen_at   timestamptz not null
);
alter table worker_beats enable row level security;
alter table worker_beats force row level security;
create policy beating on worker_beats to kr_worker using (true);
create policy probing on worker_beats for select to kr_gate using (true);
grant select, insert, update, delete on worker_beats to kr_worker;
grant select on worker_beats to kr_gate;

-- Who runs a scheduled job at the moment, and when it is due again.
create table job_leases (
  name         text        primary key,
  holder       uuid        not null,
  leased_until timestamptz not null,
  due_at       timestamptz not null
);
alter table job_leases enable row level security;
alter table job_leases force row level security;
create policy leasing on job_leases to kr_worker using (true);
grant select, insert, update on job_leases to kr_worker;

-- What has long been over is removed in batches.
create policy purging on sessions to kr_worker using (true);
create policy purging on one_time_tokens to kr_worker using (true);
grant select, delete on sessions, one_time_tokens to kr_worker;
