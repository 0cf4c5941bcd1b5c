// Runs both stores' statements on a bounded pool of the driver's connections.
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
import { createLender, type LenderParts } from './lender.ts';

const ATTEMPTS_MAX = 3;

type PoolParts = LenderParts & {
  clock: Clock;
  close(): Promise<void>;
  /**
   * Set if the URL points to a pooler in transaction mode, which keeps no session state. This
   * statement is then run at the start of each batch, and statements are not prepared under a name.
   */
  pooled?: Statement | undefined;
  /**
   * Estimates how full the disk is. Each ping also runs this query, without switching to another
   * role.
   */
  gauge?: { question: Statement; seen(answer: Answer): void };
};

export function pooledDatabase(parts: PoolParts): Database {
  const { kind, pool, clock, waitingMax, close, gauge, pooled } = parts;
  const settled = pooled ? [pooled] : [];
  if (pooled) pool.on('connect', (client) => unprepared.add(client));
  const { lend, expect, use } = createLender({ kind, pool, waitingMax });

  function once(opening: Opening, statement: Statement): Promise<Answer> {
    return withRetries(opening.deadline, () =>
      lend(opening, async (client) => {
        const batch = [...settled, prologue(opening, clock, 'settings'), statement];
        const answers = await send(client, batch, opening.deadline).catch((error) => {
          const fault = refusedBy(opening, error);
          throw mayRepeat[opening.role] ? untouched(fault) : fault;
        });
        const answer = answers.at(-1);
        if (!answer) throw new Error('bug: a statement returned no result');
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
          ...settled,
          prologue(opening, clock, 'settings and clock'),
        ];
        const answers = await send(client, begun, opening.deadline).catch(async (error) => {
          await abandon(client, error, opening.deadline);
          throw untouched(error);
        });
        const now = answers.at(-1)?.rows[0]?.now;
        if (!(now instanceof Date))
          throw new Error('bug: the database did not return the current time');
        const run = (statement: Statement) => runIn(client, statement, opening);
        // The embedded store never yields to the event loop, so this lets other work run between
        // two statements.
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
    poolUse: use,
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

/** A single statement that sets the transaction's role and scope, and can also read the clock. */
export const prologue = (opening: Opening, clock: Clock, which: Prologue): Statement => {
  const { role, scope, changeId, readOnly, traceparent } = opening;
  const texts = traceparent === undefined ? prologues : tracedPrologues;
  return {
    text: texts[readOnly ? 'readOnly' : 'usual'][which],
    values: [
      role,
      scope.workspaceId ?? '',
      scope.envs.join(','),
      scope.tenantId ?? '',
      scope.projectIds?.join(',') ?? '',
      scope.userId ?? '',
      changeId ?? '',
      clock.shiftMs(),
      ...(traceparent === undefined ? [] : [`keyrail ${traceparent}`]),
    ],
  };
};

/**
 * Planner settings. By default, the planner may choose parallel scans and sorts, because the table
 * was empty or all its rows had the same value when it was last analysed, or because the planner
 * overestimates how many rows row-level security hides. With these settings it scans, sorts and
 * hash-joins only where no index can be used.
 */
const PLANNING = [
  ...['seqscan', 'bitmapscan', 'sort', 'hashjoin', 'mergejoin'].map((way) => [
    `enable_${way}`,
    'off',
  ]),
  ['max_parallel_workers_per_gather', '0'],
  // Disabled plan types have a huge estimated cost, which would trigger JIT compilation.
  ['jit', 'off'],
]
  .map(([name, value]) => `set_config('${name}', '${value}', true)`)
  .join(', ');

/** All settings in one column: the values are unused, and parsing more columns takes time. */
const settings = (more = ''): string => `select length(concat(
    set_config('role', keyrail.role_of($1), true), set_config('kr.workspace', $2, true),
    set_config('kr.envs', $3, true), set_config('kr.tenant', $4, true),
    set_config('kr.project', $5, true), set_config('kr.user', $6, true),
    set_config('kr.change', $7, true), set_config('kr.clock_shift_ms', $8, true),
    set_config('kr.knows', 'limits', true),
    ${PLANNING}${more})) as set`;

const READ_ONLY = `,
    set_config('transaction_read_only', 'on', true)`;

// The clock comes last, because its shift is one of the settings.
const CLOCK = ', app_now() as now';

const prologuesWith = (more: string): Record<Prologue, string> => ({
  settings: settings(more),
  'settings and clock': settings(more) + CLOCK,
});

const prologues = { usual: prologuesWith(''), readOnly: prologuesWith(READ_ONLY) };

/**
 * Names the session after the traceparent, for this transaction. A comment in the statements would
 * make each of them a different prepared statement. At 63 bytes, the name is exactly as long as
 * PostgreSQL allows.
 */
const TRACED = `,
    set_config('application_name', $9, true)`;

const tracedPrologues = {
  usual: prologuesWith(TRACED),
  readOnly: prologuesWith(READ_ONLY + TRACED),
};

/** Recognises a write that failed because the disk is nearly full and its transaction read-only. */
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
    // COMMIT was skipped because a statement failed, so the transaction is still open.
    await abandon(client, error, deadline);
    throw error;
  });
  return ending.result(answers);
}

/**
 * Rolls back a failed transaction. A broken connection is destroyed instead, which also rolls back.
 */
async function abandon(client: pg.PoolClient, error: unknown, deadline: Deadline): Promise<void> {
  if (!spoilsConnection(error)) await sendOne(client, ROLLBACK, deadline);
}

/**
 * The connections that lead to a pooler. Statements on them are not prepared under a name, because
 * the pooler may run each transaction on a different server connection.
 */
const unprepared = new WeakSet<pg.ClientBase>();

function send(
  client: pg.PoolClient,
  statements: readonly Statement[],
  deadline: Deadline,
): Promise<Answer[]> {
  const timeoutMs = deadline.remainingMs();
  if (timeoutMs <= 0) return Promise.reject(new StoreUnavailable('the deadline has passed'));
  return new Promise((resolve, reject) => {
    const settle = (error: Error | null, answers?: Answer[]) =>
      error ? reject(noteDriverError(error)) : resolve(answers ?? []);
    const sent = unprepared.has(client)
      ? statements.map((statement) => ({ ...statement, isUnnamed: true }))
      : statements;
    client.query(new Batch(sent, timeoutMs, settle));
  });
}

async function sendOne(
  client: pg.PoolClient,
  statement: Statement,
  deadline: Deadline,
): Promise<Answer> {
  const [answer] = await send(client, [statement], deadline);
  if (!answer) throw new Error('bug: a statement returned no result');
  return answer;
}

/**
 * Whether a statement is retried after its connection was lost, even though it may already have
 * run: only for roles that just read, or whose writes are idempotent. Claiming a job or charging a
 * limit must not happen twice.
 */
const mayRepeat: Record<DoorRole, boolean> = {
  kr_read: true,
  kr_gate: true,
  kr_record: false,
  kr_write: false,
  kr_worker: false,
};

/** If the connection was lost, marks the error as safe to retry on another connection. */
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
