// Determines a key's state: the first state that applies, in the protocol's order. Each state is
// defined in two forms: an SQL expression for responses, and conditions that match an index, for
// lists and counts.
import { type KeyState, keyStates, secretKeyStates } from '@keyrail/protocol/wire/key-states.ts';
import { KEY_EXPIRING_DAYS } from '@keyrail/protocol/wire/limits.ts';
import { joined, type Sql, sql } from '../../base/sql.ts';
import type { Env } from '../../doors/reach.ts';

const SHELF_OF_ENV: Record<Env, number> = { live: 0, test: 4 };

// The clock is read in subqueries, which are evaluated once per statement. A direct call to the
// clock would rule out using an index.
const now = sql`(select app_now())`;
const soon = sql`(select app_now() + ${KEY_EXPIRING_DAYS}::int * interval '1 day')`;

type Rule = {
  /**
   * The state's number in the generated column `state_shelf`, and the column that stores when a key
   * entered the state.
   */
  decision: number;
  decidedAt?: Sql;
  /** Bounds on the key's expiry, for states that depend on the time. */
  after?: Sql;
  upTo?: Sql;
};

const rules: Record<KeyState, Rule> = {
  revoked: { decision: 3, decidedAt: sql`revoked_at` },
  quarantined: { decision: 1, decidedAt: sql`quarantined_at` },
  disabled: { decision: 2, decidedAt: sql`disabled_at` },
  expired: { decision: 0, upTo: now },
  expiring: { decision: 0, after: now, upTo: soon },
  active: { decision: 0, after: soon },
};

function stateIn<State extends KeyState>(states: readonly State[]): Sql {
  const cases = states.map((state) => {
    const { decidedAt, upTo } = rules[state];
    if (decidedAt) return sql`when ${decidedAt} is not null then ${state}`;
    return upTo ? sql`when expires_at <= ${upTo} then ${state}` : sql`else ${state}`;
  });
  return sql`case ${joined(cases, sql` `)} end`;
}

/** The state of an `api_keys` row. */
export const apiKeyState = stateIn(keyStates);

/** The state of a `secret_keys` row. */
export const secretKeyState = stateIn(secretKeyStates);

export const stateShelfOf = (state: KeyState, env: Env): number =>
  SHELF_OF_ENV[env] + rules[state].decision;

/**
 * Returns the conditions on `ends_at` for keys in a state; none if the state doesn't depend on
 * time.
 */
export function endsIn(state: KeyState): Sql[] {
  const { after, upTo } = rules[state];
  return [...(after ? [sql`ends_at > ${after}`] : []), ...(upTo ? [sql`ends_at <= ${upTo}`] : [])];
}
