-- A node that leaves may do so before its last poll is recorded. So its record stays for a while,
-- with last_seen_at = '-infinity', which no list and no count includes.
alter table policy_nodes add column left_at timestamptz; -- null: the node has not left
