-- Unless it is named, a caller's temporary schema is searched for tables before all others: whoever
-- puts on the write role could lay a head of his own over the real one, and have a row of his choice
-- appended to a log that nobody may write to. Named last, it is searched last.
alter function start_versions set search_path = keyrail, pg_catalog, pg_temp;
alter function next_versions set search_path = keyrail, pg_catalog, pg_temp;
alter function close_change set search_path = keyrail, pg_catalog, pg_temp;
alter function prune_policy_changes set search_path = keyrail, pg_catalog, pg_temp;
