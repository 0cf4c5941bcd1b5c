// Histories written by hand, to test the soak's checks.
import { GENESIS_HASH } from '@keyrail/protocol/wire/audit-chain.ts';
import { hashOfRow } from '@keyrail/protocol/wire/audit-hash.ts';
import { type Body, emptyHistory, type History, type Op } from '../history.ts';

/** A history in which an invariant holds, and histories in which it does not. */
export type Case = { good: () => History; bad: (() => History)[] };

let clock = 0;

/** Creates an operation that began after all previously created ones had ended. */
export function op(kind: string, args: Op['args'], more: Partial<Op> = {}): Op {
  clock += 2;
  const made = { client: 'a', kind, args, t0: clock, t1: clock + 1, outcome: 'ok' } as const;
  return { ...made, status: 200, body: {}, ...more };
}

export const historyOf = (history: Partial<History>): History => ({
  ...emptyHistory(),
  workspaceId: 'w',
  ...history,
});

/** Adds the sequence numbers and hashes that link audit rows into a valid chain. */
export function chained(rows: Body[]): Body[] {
  let previous: unknown = GENESIS_HASH;
  return rows.map((row, at) => {
    const linked: Body = {
      seq: at + 1,
      id: `r${at}`,
      occurred_at: `2026-01-01T00:00:0${at}.000Z`,
      actor_type: 'secret_key',
      actor_id: 's',
      action: 'api_key.created',
      target_type: 'api_key',
      target_id: `k${at}`,
      payload: {},
      ...row,
      prev_hash: previous,
    };
    const hash = hashOfRow('w', linked as Parameters<typeof hashOfRow>[1]);
    previous = hash;
    return { ...linked, hash };
  });
}

export const created = (id: string) => op('key.create', {}, { body: { id } });

export const revoke = (id: string, body: Body = {}) =>
  op('key.revoke', { id, wait: true }, { body: { id, revoked_at: 't', ...body } });
