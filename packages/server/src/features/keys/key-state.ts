// The state of a key: the first that fits of revoked, quarantined, disabled, expired, expiring and
// active. A generated column holds environment and decision; the end of the key gives the rest.
import type { KeyState } from '@keyrail/protocol/objects/api-key.ts';
import { KEY_EXPIRING_DAYS } from '@keyrail/protocol/wire/limits.ts';
import { type Sql, sql } from '../../base/sql.ts';
import type { Env } from '../../doors/reach.ts';

const SHELF_OF_ENV: Record<Env, number> = { live: 0, test: 4 };

// Subqueries are evaluated once per statement. A direct call of the clock could not use an index.
const now = sql`(select app_now())`;
const soon = sql`(select app_now() + ${KEY_EXPIRING_DAYS}::int * interval '1 day')`;

type Rule = { decision: number; after?: Sql; upTo?: Sql };

const rules: Record<KeyState, Rule> = {
  active: { decision: 0, after: soon },
  expiring: { decision: 0, after: now, upTo: soon },
  expired: { decision: 0, upTo: now },
  quarantined: { decision: 1 },
  disabled: { decision: 2 },
  revoked: { decision: 3 },
};

export const stateShelfOf = (state: KeyState, env: Env): number =>
  SHELF_OF_ENV[env] + rules[state].decision;

/** The condition on `ends_at`; none for a state that does not depend on time. */
export function endsIn(state: KeyState): Sql[] {
  const { after, upTo } = rules[state];
  return [...(after ? [sql`ends_at > ${after}`] : []), ...(upTo ? [sql`ends_at <= ${upTo}`] : [])];
}
