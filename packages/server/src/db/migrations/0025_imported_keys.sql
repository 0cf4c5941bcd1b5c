-- Keys that another product issued. Only the hash of their text was ever sent.
alter table api_keys add column imported boolean not null default false;
