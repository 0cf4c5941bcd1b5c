// Loads what a revocation needs to know before it waits for nodes.
import { sql } from '../../base/sql.ts';
import { one } from '../../db/sql.ts';
import type { Tables } from '../../db/tables.ts';
import type { Read } from '../../doors/door.ts';
import { servedSince } from '../policy/node-conditions.ts';
import { NODE_COUNTED_MS } from '../policy/node-times.ts';

export type Awaited = {
  /** The policy version that contains the key's last change. */
  version: number;
  now: Date;
  /** True if nodes haven't had enough time to poll since the last restore. */
  isRestored: boolean;
};

/**
 * Loads the version that nodes must have reached. If the key's last change has been pruned, this is
 * the floor, the oldest version that can still get a delta; a node below it gets a snapshot, which
 * contains the change. A restore also raises the floor, because a node that acknowledged an earlier
 * version may have applied changes that the restore undid.
 */
export const loadAwaited = (
  tx: Read,
  { changeId, projectId }: Pick<Tables['apiKeys'], 'changeId' | 'projectId'>,
): Promise<Awaited> =>
  one(
    tx,
    sql<Awaited>`
      select greatest(written.version, current.floor) as version, app_now() as now,
        -- The restore deleted all spans, so any spans found here are newer than the restore.
        exists (select from recent_restores)
          and ${servedSince(NODE_COUNTED_MS)} = '-infinity' as is_restored
      from project_versions current left join policy_changes written
        on written.change_id = ${changeId} and written.project_id = current.project_id
      where current.project_id = ${projectId}`,
  );
