// The one way statements run, for both stores: over a bounded pool of the driver's connections.
import type pg from 'pg';
import type { Clock } from '../base/clock.ts';
import type { Deadline } from '../base/deadline.ts';
import { Batch } from './batch.ts';
import type { Answer, Database, Ending, Opening, Statement, Transaction } from './database.ts';
import { isLost, isRetryable, isStoreFault, StoreUnavailable } from './faults.ts';
import { type LenderParts, lender } from './lender.ts';

const ATTEMPTS_MAX = 3;

export type PoolParts = LenderParts & { clock: Clock; close(): Promise<void> };

export function pooledDatabase({ kind, pool, clock, waitingMax, close }: PoolParts): Database {
  const lend = lender({ kind, pool, waitingMax });

  function once(opening: Opening, statement: Statement): Promise<Answer> {
    return withRetries(opening.deadline, () =>
      lend(opening.deadline, async (client) => {
        const batch = [prologue(opening, clock), statement];
        const [, answer] = await send(client, batch, opening.deadline).catch(markUntouched);
        if (!answer) throw new Error('impossible: a statement without an answer');
        return answer;
      }),
    );
  }

  function transaction<T>(
    opening: Opening,
    body: (tx: Transaction) => Promise<Ending<T>>,
  ): Promise<T> {
    return withRetries(opening.deadline, () =>
      lend(opening.deadline, async (client) => {
        const begun = [opening.repeatable ? BEGIN_REPEATABLE : BEGIN, prologue(opening, clock)];
        const [, first] = await send(client, begun, opening.deadline).catch(async (error) => {
          await abandon(client, error, opening.deadline);
          return markUntouched(error);
        });
        const now = first?.rows[0]?.now;
        if (!(now instanceof Date)) throw new Error('impossible: a transaction without a clock');
        return finish(client, opening.deadline, () =>
          body({ now, run: (statement) => sendOne(client, statement, opening.deadline) }),
        );
      }),
    );
  }

  return {
    kind,
    once,
    transaction,
    ping: (deadline) =>
      lend(deadline, async (client) => {
        await sendOne(client, PING, deadline);
      }),
    close,
  };
}

const BEGIN: Statement = { text: 'begin', values: [] };
const BEGIN_REPEATABLE: Statement = {
  text: 'begin isolation level repeatable read read only',
  values: [],
};
const COMMIT: Statement = { text: 'commit', values: [] };
const ROLLBACK: Statement = { text: 'rollback', values: [] };
const PING: Statement = { text: 'select 1 as one', values: [] };

/** Role and scope of the transaction, and its clock, in one statement. All of it ends with it. */
export const prologue = ({ role, scope, changeId }: Opening, clock: Clock): Statement => ({
  text: `select set_config('role', $1, true), set_config('kr.workspace', $2, true),
    set_config('kr.envs', $3, true), set_config('kr.tenant', $4, true),
    set_config('kr.project', $5, true), set_config('kr.user', $6, true),
    set_config('kr.change', $7, true), set_config('kr.clock_shift_ms', $8, true),
    app_now() as now`,
  values: [
    role,
    scope.workspaceId ?? '',
    scope.envs.join(','),
    scope.tenantId ?? '',
    scope.projectId ?? '',
    scope.userId ?? '',
    changeId ?? '',
    clock.shiftMs(),
  ],
});

async function finish<T>(
  client: pg.PoolClient,
  deadline: Deadline,
  body: () => Promise<Ending<T>>,
): Promise<T> {
  let ending: Ending<T>;
  try {
    ending = await body();
  } catch (error) {
    await abandon(client, error, deadline);
    throw error;
  }
  if (ending.kind === 'rollback') {
    await sendOne(client, ROLLBACK, deadline);
    return ending.result;
  }
  const answers = await send(client, [...ending.last, COMMIT], deadline).catch(async (error) => {
    // COMMIT was skipped after the failed statement, so the transaction is still open.
    await abandon(client, error, deadline);
    throw error;
  });
  return ending.result(answers);
}

/** Ends a failed transaction; a broken connection is destroyed instead, which ends it as well. */
async function abandon(client: pg.PoolClient, error: unknown, deadline: Deadline): Promise<void> {
  if (!isStoreFault(error)) await sendOne(client, ROLLBACK, deadline);
}

function send(
  client: pg.PoolClient,
  statements: readonly Statement[],
  deadline: Deadline,
): Promise<Answer[]> {
  const timeoutMs = deadline.remainingMs();
  if (timeoutMs <= 0) return Promise.reject(new StoreUnavailable('out of time'));
  return new Promise((resolve, reject) => {
    const settle = (error: Error | null, answers?: Answer[]) =>
      error ? reject(error) : resolve(answers ?? []);
    client.query(new Batch(statements, timeoutMs, settle));
  });
}

async function sendOne(
  client: pg.PoolClient,
  statement: Statement,
  deadline: Deadline,
): Promise<Answer> {
  const [answer] = await send(client, [statement], deadline);
  if (!answer) throw new Error('impossible: a statement without an answer');
  return answer;
}

/** The opening failed on a dead connection: nothing was done, so another may try. */
function markUntouched(error: unknown): never {
  if (!isLost(error)) throw error;
  throw new StoreUnavailable('the connection was lost', { cause: error, untouched: true });
}

async function withRetries<T>(deadline: Deadline, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const again = isRetryable(error) || (error instanceof StoreUnavailable && error.untouched);
      if (!again || attempt === ATTEMPTS_MAX || deadline.remainingMs() <= 0) throw error;
    }
  }
}
