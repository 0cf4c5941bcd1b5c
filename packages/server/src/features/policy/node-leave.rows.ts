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
 * Marks a node as having left instead of deleting its record, because one of its polls may still be
 * in progress. Creates a record if the node has none, unless the scope is full. False if nothing
 * was written.
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
      -- If first_seen_at were null, the previous release would set it to -infinity, from
      -- last_seen_at.
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
