-- The nodes that follow the policy feed, and how their silence is measured.

-- A node acknowledges a version by requesting the changes after it.
create table policy_nodes (
  project_id    uuid        not null,
  node_id       text        not null,
  env_scope     text        not null, -- live, test, or all
  workspace_id  uuid        not null default reach_workspace(),
  acked_version bigint      not null, -- 0: seen, but nothing acknowledged yet
  sdk_name      text,                 -- null: not sent
  sdk_version   text,
  first_seen_at timestamptz,          -- null: not known
  -- Whether a revocation waits for the node depends on this column only.
  last_seen_at  timestamptz not null,
  -- What the node reports about itself, and what lists derive from it.
  node_name     text,                 -- shared by a node and the nodes that replace it
  next_poll_by  timestamptz,          -- after this, the node no longer counts as connected
  replaced_at   timestamptz,          -- when a node of the same name started
  -- A node may leave before its last poll is recorded. So its row stays for a while, with
  -- last_seen_at = '-infinity', which keeps it out of lists and counts. Null: it has not left.
  left_at       timestamptz,
  scope_rank    smallint    not null generated always as
    (case env_scope when 'all' then 0 when 'live' then 1 else 2 end) stored,
  primary key (project_id, node_id, env_scope),
  foreign key (workspace_id, project_id) references projects (workspace_id, id)
);
create index policy_nodes_seen on policy_nodes (last_seen_at);
-- Whatever the statistics are, only lists use this index, and they use no other. Only lists compare
-- scope_rank, so a poll finds its row by the primary key. There are no nulls, but "nulls last" is
-- an order that policy_nodes_seen does not have.
create index policy_nodes_newest
  on policy_nodes (scope_rank, project_id, last_seen_at desc nulls last, node_id desc);
call protect('policy_nodes');
grant select on policy_nodes to kr_read, kr_write;
-- Each start of a process adds a row. When the maximum is reached, rows of stopped processes are
-- deleted, because revocations would not wait for a node without a row.
grant select, insert, update, delete on policy_nodes to kr_record;
create policy working on policy_nodes to kr_worker using (true);
grant select, delete on policy_nodes to kr_worker;
-- If a clock was set back, the worker corrects nodes that were seen in the future.
grant update (last_seen_at) on policy_nodes to kr_worker;

-- Periods during which API processes were serving. A node cannot report while no process is
-- serving, so its silence is measured over these periods only. A missing period is harmless: a node
-- only counts as present for longer. A period must never be recorded as longer than it was.
create table served_spans (
  id       uuid        primary key, -- one API process, until it fails to reach the database
  began_at timestamptz not null,
  ended_at timestamptz not null     -- extended every few seconds while the process serves
);
create index served_spans_ended on served_spans (ended_at);
alter table served_spans enable row level security;
alter table served_spans force row level security;
create policy noting on served_spans to kr_gate using (true);
create policy measuring on served_spans for select to kr_read, kr_record, kr_worker using (true);
grant select, insert, update, delete on served_spans to kr_gate;
grant select on served_spans to kr_read, kr_record, kr_worker;
call back_up('served_spans');

-- The latest time since which API processes have served for `wanted` in total; -infinity if the
-- recorded spans are shorter. Overlapping spans of several processes count once. A span that ends
-- in the future was written before the clock was set back, and is ignored.
create function served_since(wanted interval) returns timestamptz stable language sql
  return coalesce((
    select max(began_at + (served - wanted)) from (
      select lower(span) as began_at,
        sum(upper(span) - lower(span)) over (order by lower(span) desc) as served
      from unnest((select range_agg(tstzrange(began_at, ended_at)) from served_spans
                   where ended_at <= app_now())) as span
    ) as measured
    where served >= wanted), '-infinity');

-- Restores after which nodes may be running that the database does not know: they joined after the
-- backup and have not polled since. The restore itself inserts the row, and deletes all
-- served_spans. Until API processes have served for long enough again, no revocation is reported as
-- complete. Then the row is removed.
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

-- Deletes old changes. Nodes with an older version than the remaining changes get a snapshot.
create function prune_policy_changes(project uuid, up_to bigint, most int) returns int
language plpgsql security definer set search_path = keyrail, pg_catalog, pg_temp as $$
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
