-- What nodes have, and what the feed no longer tells.

-- Long expired: gone from the feed, though nothing was decided about the key. Whoever moves its
-- expiry brings it back.
alter table api_keys add column retired_at timestamptz;
create function unretire() returns trigger language plpgsql as $$
begin
  if new.expires_at is distinct from old.expires_at then
    new.retired_at := null;
  end if;
  return new;
end $$;
create trigger unretired before update on api_keys for each row execute function unretire();
create index api_keys_retirable on api_keys (expires_at)
  where revoked_at is null and retired_at is null and expires_at is not null;

-- Retiring is the feed's own affair and leaves no audit row; everything else about a key does.
drop trigger audited on api_keys;
create constraint trigger audited after insert or update of project_id, tenant_id, env,
  lookup_hash, display_prefix, name, scopes, meta, rate_limits, expires_at, vendor_expires_at,
  revoked_at, revoked_reason, quarantined_at, quarantine_reason, rotated_from on api_keys
  deferrable initially deferred for each row
  when (first_in_change('audited', new.workspace_id)) execute function refuse_unaudited();

-- A node acknowledges a version by asking for what came after it.
create table policy_nodes (
  project_id    uuid        not null,
  node_id       text        not null,
  env_scope     text        not null, -- live, test, or all
  workspace_id  uuid        not null default reach_workspace(),
  acked_version bigint      not null, -- 0: seen, but nothing acknowledged yet
  last_seen_at  timestamptz not null,
  primary key (project_id, node_id, env_scope),
  foreign key (workspace_id, project_id) references projects (workspace_id, id)
);
create index policy_nodes_seen on policy_nodes (last_seen_at);
call protect('policy_nodes');
grant select on policy_nodes to kr_read, kr_write;
grant select, insert, update on policy_nodes to kr_record;

-- The version of any project, for processes that hold requests until it moves.
create policy gate on project_versions for select to kr_gate using (true);
grant select (project_id, version) on project_versions to kr_gate;

-- The worker finds what is due in all workspaces, and then changes one of them at a time.
create policy working on api_keys for select to kr_worker using (true);
create policy working on policy_changes for select to kr_worker using (true);
create policy working on policy_nodes to kr_worker using (true);
grant select (id, workspace_id, project_id, env, tenant_id, expires_at, revoked_at, retired_at)
  on api_keys to kr_worker;
grant update (retired_at) on api_keys to kr_worker;
grant select on policy_changes to kr_worker;
grant select, delete on policy_nodes to kr_worker;
grant execute on function next_versions to kr_worker;

create index policy_changes_old on policy_changes (changed_at);

-- Forgets old changes; nodes that have less than what is left start over from a snapshot.
create function prune_policy_changes(project uuid, up_to bigint, most int) returns int
language plpgsql security definer set search_path = keyrail, pg_catalog as $$
declare
  pruned int;
begin
  update project_versions set floor = greatest(floor, up_to) where project_id = project;
  delete from policy_changes where (project_id, version) in (
    select project_id, version from policy_changes
    where project_id = project and version <= up_to order by version limit most);
  get diagnostics pruned = row_count;
  return pruned;
end $$;
revoke execute on function prune_policy_changes from public;
grant execute on function prune_policy_changes to kr_worker;
