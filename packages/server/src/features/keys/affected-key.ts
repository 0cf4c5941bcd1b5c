import type { Affected } from '../../doors/plan.ts';
import type { KeyRow } from './rows.ts';

/** A change that affects a single key, used to measure its impact. */
export const affectedKey = (
  { id, projectId, env }: Pick<KeyRow, 'id' | 'projectId' | 'env'>,
  isChanged: boolean,
): Affected => ({ kind: 'api_key', id, projectId, env, isChanged });
