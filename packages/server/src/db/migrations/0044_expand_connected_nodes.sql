-- What a node says of itself beside its id, and what lists show because of it. Revocations wait for
-- nodes by last_seen_at only. Null: not known, or written by the release before.
alter table policy_nodes
  add column node_name    text,        -- shared by the nodes that follow one another in one place
  add column next_poll_by timestamptz, -- when the node no longer counts as connected
  add column replaced_at  timestamptz; -- when a node of the same name began
