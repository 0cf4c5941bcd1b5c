import type { Affected } from '../../doors/plan.ts';
import type { KeyRow } from './rows.ts';

/** One key, for the impact of a change. */
export const affectedKey = (
  { id, projectId, env }: Pick<KeyRow, 'id' | 'projectId' | 'env'>,
  isChanged: boolean,
): Affected => ({ kind: 'api_key', id, projectId, env, isChanged });
