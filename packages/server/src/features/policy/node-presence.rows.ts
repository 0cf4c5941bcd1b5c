// All SQL statements that mark nodes as replaced or not connected. Revocations ignore these marks.
import { sql } from '../../base/sql.ts';
import { many, type Runner } from '../../db/sql.ts';
import { moment, type NodeName } from './node-conditions.ts';

type BegunNode = NodeName & { projectId: string; name: string | null };

/**
 * Marks nodes as replaced if a different node with the same name has just started. The mark no
 * longer applies once the marked node polls again. Nodes that another transaction is updating are
 * skipped, because they are evidently still polling.
 */
export async function updateReplacedNodes(tx: Runner, begun: readonly BegunNode[]): Promise<void> {
  await many(
    tx,
    sql`update policy_nodes set replaced_at = ${moment}
      where (project_id, node_id, env_scope) in (
        select n.project_id, n.node_id, n.env_scope
        from unnest(${begun.map(({ projectId }) => projectId)}::uuid[],
            ${begun.map(({ nodeId }) => nodeId)}::text[],
            ${begun.map(({ envScope }) => envScope)}::text[],
            ${begun.map(({ name }) => name)}::text[]) as begun (project, node, scope, name)
          join policy_nodes n on (n.project_id, n.env_scope, n.node_name) = (project, scope, name)
            and n.node_id <> node
        where n.last_seen_at > '-infinity'
          and (n.replaced_at is null or n.replaced_at < n.last_seen_at)
        for update of n skip locked)
      returning 1`,
  );
}

export type HungUp = NodeName & { projectId: string; heldMs: number };

/**
 * Marks nodes whose held polls were cut off as not connected until they poll again. A node that has
 * polled since is left unchanged.
 */
export async function updateHungUpNodes(tx: Runner, nodes: readonly HungUp[]): Promise<void> {
  await many(
    tx,
    sql`update policy_nodes set next_poll_by = ${moment}
      where (project_id, node_id, env_scope) in (
        select n.project_id, n.node_id, n.env_scope
        from unnest(${nodes.map(({ projectId }) => projectId)}::uuid[],
            ${nodes.map(({ nodeId }) => nodeId)}::text[],
            ${nodes.map(({ envScope }) => envScope)}::text[],
            ${nodes.map(({ heldMs }) => heldMs)}::float8[]) as hung_up (project, node, scope, held)
          join policy_nodes n on (n.project_id, n.node_id, n.env_scope) = (project, node, scope)
        where n.next_poll_by > ${moment}
          and n.last_seen_at <= ${moment} - held * interval '1 millisecond'
        for update of n skip locked)
      returning 1`,
  );
}
