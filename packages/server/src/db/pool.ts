// The one way statements run, for both stores: over a bounded pool of the driver's connections.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import type { Clock } from '../base/clock.ts';
import type { Deadline } from '../base/deadline.ts';
import { Batch } from './batch.ts';
import type {
  Answer,
  Database,
  DoorRole,
  Ending,
  Opening,
  Statement,
  Transaction,
} from './database.ts';
import {
  isLost,
  isRetryable,
  noteDriverError,
  StorageShort,
  StoreUnavailable,
  spoilsConnection,
  sqlState,
} from './faults.ts';
import { type LenderParts, lender } from './lender.ts';

const ATTEMPTS_MAX = 3;

export type PoolParts = LenderParts & {
  clock: Clock;
  close(): Promise<void>;
  /** Asked with every ping, by the login itself. */
  gauge?: { question: Statement; seen(answer: Answer): void };
};

export function pooledDatabase(parts: PoolParts): Database {
  const { kind, pool, clock, waitingMax, close, gauge } = parts;
  const { lend, expect } = lender({ kind, pool, waitingMax });

  function once(opening: Opening, statement: Statement): Promise<Answer> {
    return withRetries(opening.deadline, () =>
      lend(opening, async (client) => {
        const batch = [prologue(opening, clock, 'settings'), statement];
        const [, answer] = await send(client, batch, opening.deadline).catch((error) => {
          const fault = refusedBy(opening, error);
          throw mayRepeat[opening.role] ? untouched(fault) : fault;
        });
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
      lend(opening, async (client) => {
        const begun = [
          opening.repeatable ? BEGIN_REPEATABLE : BEGIN,
          prologue(opening, clock, 'settings and clock'),
        ];
        const [, first] = await send(client, begun, opening.deadline).catch(async (error) => {
          await abandon(client, error, opening.deadline);
          throw untouched(error);
        });
        const now = first?.rows[0]?.now;
        if (!(now instanceof Date)) throw new Error('impossible: a transaction without a clock');
        const run = (statement: Statement) => runIn(client, statement, opening);
        // The embedded store answers without waiting: between two statements others get a turn.
        const inTurn = (statement: Statement) =>
          run(statement).finally(() => (kind === 'embedded' ? nextTurn() : undefined));
        return finish(client, opening, () => body({ now, run: inTurn }));
      }),
    );
  }

  return {
    kind,
    once,
    transaction,
    expect,
    ping: (deadline) =>
      lend({ role: 'kr_gate', deadline, goesFirst: true }, async (client) => {
        const answer = await sendOne(client, gauge?.question ?? PING, deadline);
        gauge?.seen(answer);
      }),
    storage: () => 'ok',
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

type Prologue = 'settings' | 'settings and clock';

/** Role and scope of the transaction, and its clock, in one statement. All of it ends with it. */
export const prologue = (opening: Opening, clock: Clock, which: Prologue): Statement => {
  const { role, scope, changeId, readOnly } = opening;
  return {
    text: prologues[readOnly ? 'readOnly' : 'usual'][which],
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
  };
};

/**
 * How statements are planned. Left to itself the planner reads all and sorts, with several
 * processes at once: because the table was empty when it was last analysed, because all rows had
 * one value then, or because it takes row level security to hide more than it does. With these
 * settings it scans, sorts and joins by hash only where no index will do.
 */
const PLANNING = [
  ...['seqscan', 'bitmapscan', 'sort', 'hashjoin', 'mergejoin'].map((way) => [
    `enable_${way}`,
    'off',
  ]),
  ['max_parallel_workers_per_gather', '0'],
  // A last resort has a price beyond all bounds, for which every statement would be compiled.
  ['jit', 'off'],
]
  .map(([name, value]) => `set_config('${name}', '${value}', true)`)
  .join(', ');

/** One column, however many settings: nobody reads them, and every column is taken apart. */
const settings = (more = ''): string => `select length(concat(
    set_config('role', keyrail.role_of($1), true), set_config('kr.workspace', $2, true),
    set_config('kr.envs', $3, true), set_config('kr.tenant', $4, true),
    set_config('kr.project', $5, true), set_config('kr.user', $6, true),
    set_config('kr.change', $7, true), set_config('kr.clock_shift_ms', $8, true),
    ${PLANNING}${more})) as set`;

const READ_ONLY = `,
    set_config('transaction_read_only', 'on', true)`;

// The clock comes last: its shift is one of the settings.
const CLOCK = ', app_now() as now';

const prologuesWith = (more: string): Record<Prologue, string> => ({
  settings: settings(more),
  'settings and clock': settings(more) + CLOCK,
});

const prologues = { usual: prologuesWith(''), readOnly: prologuesWith(READ_ONLY) };

/** A transaction that may only read, for want of disk space, was asked to write. */
const refusedBy = ({ readOnly }: Opening, error: unknown): unknown =>
  readOnly && sqlState(error) === '25006' ? new StorageShort(error) : error;

async function runIn(
  client: pg.PoolClient,
  statement: Statement,
  opening: Opening,
): Promise<Answer> {
  return sendOne(client, statement, opening.deadline).catch((error) => {
    throw refusedBy(opening, error);
  });
}

async function finish<T>(
  client: pg.PoolClient,
  opening: Opening,
  body: () => Promise<Ending<T>>,
): Promise<T> {
  const { deadline } = opening;
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
  const answers = await send(client, [...ending.last, COMMIT], deadline).catch(async (thrown) => {
    const error = refusedBy(opening, thrown);
    // COMMIT was skipped after the failed statement, so the transaction is still open.
    await abandon(client, error, deadline);
    throw error;
  });
  return ending.result(answers);
}

/** Ends a failed transaction; a broken connection is destroyed instead, which ends it as well. */
async function abandon(client: pg.PoolClient, error: unknown, deadline: Deadline): Promise<void> {
  if (!spoilsConnection(error)) await sendOne(client, ROLLBACK, deadline);
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
      error ? reject(noteDriverError(error)) : resolve(answers ?? []);
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

/**
 * A statement whose connection was lost may have been done all the same. Who only reads, or notes
 * the same thing twice without harm, tries again; a claim or a charge is not made twice.
 */
const mayRepeat: Record<DoorRole, boolean> = {
  kr_read: true,
  kr_gate: true,
  kr_record: false,
  kr_write: false,
  kr_worker: false,
};

/** What failed on a dead connection was not done, so another may try. */
const untouched = (error: unknown): unknown =>
  isLost(error)
    ? new StoreUnavailable('the connection was lost', { cause: error, untouched: true })
    : error;

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
