// All SQL statements for the jobs that delete outdated data from the feed.

import { msAfter } from '../../base/duration.ts';
import { sql } from '../../base/sql.ts';
import { many } from '../../db/sql.ts';
import type { PolicyVersion } from '../../doors/door.ts';
import type { Work } from '../../doors/work.ts';
import { servedSince } from './node-conditions.ts';
import { NODE_COUNTED_MS, NODE_KEPT_MS, NODE_LEFT_MS } from './node-times.ts';

export type Retirable = { id: string; workspaceId: string; projectId: string };

/** Lists keys in any workspace that expired before a given time and are still in the feed. */
export const listRetirable = (
  tx: Work,
  { before, limit }: { before: Date; limit: number },
): Promise<Retirable[]> =>
  many(
    tx,
    sql<Retirable>`select id, workspace_id, project_id from api_keys
      where revoked_at is null and retired_at is null and expires_at < ${before}
      order by expires_at limit ${limit}`,
  );

/** Removes keys from the feed, except those that have changed since they were listed. */
export async function updateRetired(
  tx: Work,
  ids: readonly string[],
  before: Date,
): Promise<PolicyVersion[]> {
  const retired = await many(
    tx,
    sql<{ projectId: string }>`update api_keys set retired_at = ${tx.now}
      where id = any (${ids}::uuid[]) and revoked_at is null and retired_at is null
        and expires_at < ${before}
      returning project_id`,
  );
  const projects = [...new Set(retired.map(({ projectId }) => projectId))];
  if (projects.length === 0) return [];
  return many(tx, sql<PolicyVersion>`select * from next_versions(${projects}::uuid[], '{}')`);
}

export type Prunable = { workspaceId: string; projectId: string; version: number };

/**
 * Lists projects with changes from before a given time, and the newest version of those changes.
 */
export const listPrunable = (
  tx: Work,
  { before, limit }: { before: Date; limit: number },
): Promise<Prunable[]> =>
  many(
    tx,
    sql<Prunable>`select workspace_id, project_id, max(version) as version from policy_changes
      where changed_at < ${before} group by workspace_id, project_id limit ${limit}`,
  );

/**
 * Deletes a batch of changes and returns how many were deleted. Raises the floor, so that nodes
 * that would have needed the changes get a snapshot instead.
 */
export async function removeChanges(
  tx: Work,
  { projectId, version }: Prunable,
  most: number,
): Promise<number> {
  const [answer] = await many(
    tx,
    sql<{ gone: number }>`select prune_policy_changes(${projectId}, ${version}, ${most}) as gone`,
  );
  return answer?.gone ?? 0;
}

/**
 * Deletes nodes last seen before a given time, except nodes that a revocation may wait for, and
 * nodes that left so recently that their last poll may still be in progress.
 */
export async function removeSilentNodes(tx: Work, before: Date): Promise<void> {
  await many(
    tx,
    sql`delete from policy_nodes where last_seen_at < ${before}
      and (last_seen_at < ${servedSince(NODE_KEPT_MS)} or last_seen_at = '-infinity')
      and (left_at is null or left_at < ${msAfter(tx.now, -NODE_LEFT_MS)})`,
  );
}

/**
 * Deletes a restore's record once all nodes have had enough time to poll. If the record were kept
 * and the clock set back, the restore would count as recent again, because setting the clock back
 * discards the records of how long the server has been up since the restore.
 */
export async function removeSettledRestores(tx: Work): Promise<void> {
  await many(
    tx,
    sql`delete from recent_restores where ${servedSince(NODE_COUNTED_MS)} > '-infinity'`,
  );
}

/**
 * Corrects nodes whose last poll is in the future because the clock has since been set back.
 * Otherwise, revocations would wait for these nodes until the clock catches up, even if the nodes
 * no longer run.
 */
export async function updateNodesAhead(tx: Work): Promise<void> {
  await many(
    tx,
    sql`update policy_nodes set last_seen_at = ${tx.now} where last_seen_at > ${tx.now}`,
  );
}
