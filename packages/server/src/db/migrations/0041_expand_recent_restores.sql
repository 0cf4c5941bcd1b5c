-- Restores after which nodes may run that the database does not know: they joined after the backup
-- and have not polled since. The restore itself inserts the row, and deletes all served_spans.
-- Until enough time has been served again, no revocation is complete. Then the row is removed.
create table recent_restores (
  restored_at timestamptz primary key
);
alter table recent_restores enable row level security;
alter table recent_restores force row level security;
create policy measuring on recent_restores for select to kr_read using (true);
create policy working on recent_restores to kr_worker using (true);
grant select on recent_restores to kr_read;
grant select, delete on recent_restores to kr_worker;
call back_up('recent_restores');
