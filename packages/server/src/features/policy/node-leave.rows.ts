// All SQL statements for nodes that leave.
import { sql } from '../../base/sql.ts';
import { many, type Runner } from '../../db/sql.ts';
import { NODES_PER_SCOPE_MAX, type NodeName } from './node-conditions.ts';

/** Deletes the record of a node that is leaving; false if it has no record. */
export async function removeNode(
  tx: Runner,
  projectId: string,
  { nodeId, envScope }: NodeName,
): Promise<boolean> {
  const left = await many(
    tx,
    sql`delete from policy_nodes
      where (project_id, node_id, env_scope) = (${projectId}, ${nodeId}, ${envScope})
      returning 1`,
  );
  return left.length > 0;
}

/**
 * Records that a node has left, even if it has no record, because one of its polls may still be in
 * progress. If the scope is full, this is recorded only for a node that has a record. False if
 * nothing was recorded.
 */
export async function updateLeftNode(
  tx: Runner,
  projectId: string,
  { nodeId, envScope }: NodeName,
): Promise<boolean> {
  const left = await many(
    tx,
    sql`insert into policy_nodes
        (project_id, node_id, env_scope, acked_version, first_seen_at, last_seen_at, left_at)
      -- The previous release would set a missing first_seen_at to last_seen_at, which is -infinity.
      select project, node, scope, 0, app_now(), '-infinity', app_now()
      from (values (${projectId}::uuid, ${nodeId}, ${envScope})) as leaving (project, node, scope)
      where exists (select from policy_nodes n
                    where (n.project_id, n.node_id, n.env_scope) = (project, node, scope))
        or (select count(*) from policy_nodes n
            where (n.project_id, n.env_scope) = (project, scope)) < ${NODES_PER_SCOPE_MAX}
      on conflict (project_id, node_id, env_scope) do update
        set last_seen_at = excluded.last_seen_at, left_at = excluded.left_at
      returning 1`,
  );
  return left.length > 0;
}
