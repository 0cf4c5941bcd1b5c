// The baseline for changes: the same statements under the same roles and scope, sent by bare `pg`
// with prepared statements and its own pipelining, in as many round trips as the server needs.
// Without HTTP, parsing and serialisation, only the database and its driver are measured. The
// caller's key isn't looked up, because the server itself does so only a few times a second, no
// matter how many changes it makes.
import { randomBytes, randomUUID } from 'node:crypto';
import { lookupHash } from '@keyrail/protocol/wire/key-format.ts';
import { systemClock } from '@keyrail/server/base/clock.ts';
import type { DoorRole, Statement } from '@keyrail/server/db/database.ts';
import { prologue } from '@keyrail/server/db/pool.ts';
import { allEnvs } from '@keyrail/server/doors/reach.ts';
import type pg from 'pg';
import type { Span } from '../load/contestants.ts';
import { runCommands } from '../load/worker-loop.ts';
import { repeat } from '../measure/overrun.ts';
import { IN_TIME, openPool, prepared } from './bare-pg.ts';
import { type ChangeStatements, recordChange } from './recorded-change.ts';

export type ChangeCommand = Span & { pipelined: boolean };

const BEGIN: Statement = { text: 'begin', values: [] };
const COMMIT: Statement = { text: 'commit', values: [] };

/**
 * The statement with which the server begins every write. It sets the role, the scope and the
 * change ID.
 */
const openingAs = (role: DoorRole, workspaceId: string | null): Statement =>
  prologue(
    {
      role,
      scope: { workspaceId, envs: allEnvs },
      deadline: IN_TIME,
      changeId: randomUUID(),
    },
    systemClock,
    role === 'kr_gate' ? 'settings' : 'settings and clock',
  );

const pools = { pipelined: openPool(true), awaited: openPool(false) };

type Send = (...statements: Statement[]) => Promise<pg.QueryResult[]>;

/** Sends the statements as a pipeline if `pipelined` is set, otherwise one after another. */
const senderOn = (client: pg.PoolClient, pipelined: boolean): Send =>
  pipelined
    ? (...statements) =>
        Promise.all(statements.map((statement) => client.query(prepared(statement))))
    : async (...statements) => {
        const results: pg.QueryResult[] = [];
        for (const statement of statements) results.push(await client.query(prepared(statement)));
        return results;
      };

async function onConnection<T>(pipelined: boolean, use: (send: Send) => Promise<T>): Promise<T> {
  const client = await (pipelined ? pools.pipelined : pools.awaited).connect();
  try {
    return await use(senderOn(client, pipelined));
  } finally {
    client.release();
  }
}

type Change = { statements: ChangeStatements; workspaceId: string };

async function change({ statements, workspaceId }: Change, pipelined: boolean): Promise<void> {
  await onConnection(pipelined, async (send) => {
    const [, opened] = await send(BEGIN, openingAs('kr_write', workspaceId));
    const now: Date = opened?.rows[0].now;
    const fresh = { keyId: randomUUID(), auditId: randomUUID(), hash: randomBytes(32), now };
    for (const statement of statements.body(fresh)) {
      const [result] = await send(statement);
      if (result?.rowCount !== 1) throw new Error('a statement neither found nor inserted a row');
    }
    const [, committed] = await send(statements.close(fresh), COMMIT);
    if (committed?.command !== 'COMMIT') throw new Error('the transaction was not committed');
  });
}

const FIND_CALLER = 'select id, workspace_id from secret_keys where lookup_hash = $1';

async function prepareChange(): Promise<Change> {
  const hash = lookupHash(process.env.BENCH_SECRET_KEY ?? '');
  const { rows } = await onConnection(false, async (send) => {
    const findCaller = { text: FIND_CALLER, values: [Buffer.from(hash, 'hex')] };
    const [, , found] = await send(BEGIN, openingAs('kr_gate', null), findCaller, COMMIT);
    return found ?? { rows: [] };
  });
  const { id, workspace_id: workspaceId } = rows[0];
  const caller = { keyId: id, workspaceId };
  const statements = await recordChange(caller, JSON.parse(process.env.BENCH_PARENTS ?? 'null'));
  return { statements, workspaceId };
}

const recorded = await prepareChange();
runCommands(({ pipelined, ...span }: ChangeCommand) =>
  repeat(span, () => () => change(recorded, pipelined)),
);
