-- The last use of a key is its last admitted request. A day that has only refused requests has no
-- last use.
alter table usage_key_days alter column last_at drop not null; -- null: no request was admitted
grant select (last_at) on usage_key_days to kr_worker;
