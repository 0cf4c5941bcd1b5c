-- A clock that was set back leaves nodes that were seen in its future. The worker corrects that.
grant update (last_seen_at) on policy_nodes to kr_worker;
