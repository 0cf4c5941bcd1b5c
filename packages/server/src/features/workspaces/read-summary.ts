import { COUNTED_MAX } from '@keyrail/protocol/wire/limits.ts';
import type { Read } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import { countByState, countUnused, type StateCounts } from '../keys/count.rows.ts';
import { visibleScopes } from '../policy/feed-view.ts';
import { countNodesByState, type NodeCount } from '../policy/node-count.rows.ts';
import { type Belongings, loadBelongings } from './summary.rows.ts';

export type Summary = Belongings & {
  keys: StateCounts & { unused: number | null };
  nodes: NodeCount[];
};

/**
 * Summarises what the workspace contains in one environment, or in all those the caller may see.
 */
export async function readSummary(tx: Read, env: Env | undefined): Promise<Summary> {
  const envs = tx.reach.envs.filter((each) => env === undefined || each === env);
  const scopes = visibleScopes(tx.reach, env);
  return {
    ...(await loadBelongings(tx, envs)),
    keys: { ...(await countByState(tx, envs)), unused: await countUnused(tx, envs) },
    nodes: await countNodesByState(tx, { scopes, most: COUNTED_MAX }),
  };
}
