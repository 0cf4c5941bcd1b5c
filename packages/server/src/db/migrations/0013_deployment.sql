-- The deployment's emails, jobs, signing keys and backups.

-- An email is queued in the transaction that causes it, and sent afterwards, so there is never an
-- email without its cause, or a cause without its email.
create table mail_outbox (
  id            uuid        primary key,
  kind          text        not null,
  recipient     text        not null,
  params        json        not null, -- the contents; never a secret
  sealed_token  bytea,                -- its one-time token, encrypted; erased once sent
  created_at    timestamptz not null,
  due_at        timestamptz not null,
  attempts      int         not null,
  claim         uuid,                 -- its holder may update the row until it expires
  claimed_until timestamptz,
  sent_at       timestamptz,
  failed_at     timestamptz,          -- no more attempts are made
  last_error    text
);
create index mail_outbox_due on mail_outbox (due_at) where sent_at is null and failed_at is null;
alter table mail_outbox enable row level security;
alter table mail_outbox force row level security;
create policy queueing on mail_outbox for insert to kr_gate, kr_write with check (true);
create policy sending on mail_outbox to kr_worker using (true);
grant insert on mail_outbox to kr_gate, kr_write;
-- The worker itself reports failed backups to the operator.
grant select, insert, update, delete on mail_outbox to kr_worker;
call back_up('mail_outbox');

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
call back_up('worker_beats');

-- The worker that runs a scheduled job, and when the job is due again.
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
call back_up('job_leases');

-- A key signs for one purpose: embed tokens, anchors of audit logs, receipts of revocations, or
-- responses of the policy feed. A later migration may add to the list.
create table signing_keys (
  id             uuid        primary key, -- the `kid` in its signatures
  purpose        text        not null
                 check (purpose in ('embed_token', 'audit_anchor', 'receipt', 'policy_feed')),
  generation     int         not null,    -- of two concurrent rotations, only one gets the next
  public_key     text        not null,    -- `x` of its JWK
  -- Sealed with the master key. Null: the key is retired, and only its public half is kept, because
  -- its anchors and receipts must still verify.
  sealed_private bytea,
  created_at     timestamptz not null,    -- when it was published
  signs_from     timestamptz not null,    -- of all past times, the newest decides which key signs
  ends_at        timestamptz,             -- when its last token expires; null: not replaced yet
  constraint signing_keys_private
    check (sealed_private is not null or purpose in ('audit_anchor', 'receipt')),
  constraint signing_keys_generation unique (purpose, generation)
);
alter table signing_keys enable row level security;
alter table signing_keys force row level security;
create policy knowing on signing_keys for select to kr_gate, kr_read using (true);
create policy keeping on signing_keys to kr_worker using (true);
create policy kept_for_good on signing_keys as restrictive for delete to kr_worker
  using (purpose <> 'audit_anchor');
-- A receipt is verified long after it was signed, so the public half is kept for at least a year
-- after the key is retired.
create policy kept_for_receipts on signing_keys as restrictive for delete to kr_worker
  using (purpose <> 'receipt' or ends_at <= app_now() - interval '365 days');
grant select on signing_keys to kr_gate;
-- An operation that issues a token can see which key signs, but not its private half.
grant select (id, purpose, signs_from, ends_at) on signing_keys to kr_read;
grant select, insert, update, delete on signing_keys to kr_worker;
call back_up('signing_keys');

-- Results of backups and restore tests, for /status. The newest few hundred rows are kept.
create table backup_runs (
  id         uuid        primary key,
  kind       text        not null check (kind in ('backup', 'restore_test')),
  backup_id  text,                 -- null: a backup that failed
  started_at timestamptz not null,
  ended_at   timestamptz not null,
  passed     boolean     not null,
  reason     text,                 -- of the failure; null: passed
  bytes      bigint                -- of the files; null: failed, or a restore test
);
create index backup_runs_newest on backup_runs (kind, ended_at desc);
alter table backup_runs enable row level security;
alter table backup_runs force row level security;
create policy working on backup_runs to kr_worker using (true);
create policy probing on backup_runs for select to kr_gate using (true);
grant select, insert, delete on backup_runs to kr_worker;
grant select on backup_runs to kr_gate;
call back_up('backup_runs');
