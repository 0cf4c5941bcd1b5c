import type { Read } from '../../doors/door.ts';
import type { Env } from '../../doors/reach.ts';
import { countUnder, type KeyCountRow } from './count.rows.ts';

type Wanted = { by: 'project' | 'tenant'; ids: readonly string[]; env: Env | undefined };

/** Returns the counts in the requested order, live before test. */
export async function readKeyCounts(tx: Read, { by, ids, env }: Wanted): Promise<KeyCountRow[]> {
  const envs = tx.reach.envs.filter((each) => env === undefined || each === env);
  const counts = await countUnder(tx, { by, ids, envs });
  return [...new Set(ids)].flatMap((id) =>
    envs.flatMap((each) =>
      counts.filter((row) => row.env === each && (row.projectId ?? row.tenantId) === id),
    ),
  );
}
