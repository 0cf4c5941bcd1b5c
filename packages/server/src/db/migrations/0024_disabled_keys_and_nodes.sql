-- Disabling stops a key until it is enabled again. Meanwhile nodes do not hold it.
alter table api_keys
  add column disabled_at     timestamptz, -- null: enabled
  add column disabled_reason text;

drop trigger audited on api_keys;
create constraint trigger audited after insert or update of project_id, tenant_id, env,
  lookup_hash, display_prefix, name, scopes, meta, rate_limits, expires_at, vendor_expires_at,
  revoked_at, revoked_reason, quarantined_at, quarantine_reason, rotated_from, disabled_at,
  disabled_reason on api_keys
  deferrable initially deferred for each row
  when (first_in_change('audited', new.workspace_id)) execute function refuse_unaudited();

-- For the list of nodes.
alter table policy_nodes
  add column first_seen_at timestamptz, -- null: written by a version without this column
  add column sdk_name      text,        -- null: the node did not send it
  add column sdk_version   text,
  add column scope_rank smallint not null generated always as
    (case env_scope when 'all' then 0 when 'live' then 1 else 2 end) stored;
-- With any statistics, a list uses this index and nothing else does. Only lists compare the rank of
-- the scope, so a poll finds its record by the primary key. There are no nulls, but "nulls last" is
-- an order that policy_nodes_seen does not have.
create index policy_nodes_newest
  on policy_nodes (scope_rank, project_id, last_seen_at desc nulls last, node_id desc);
