// The peer of ingest, in a process of its own: the very statements that a batch costs the server,
// by bare `pg`, with everything already parsed, checked and added up.
import pg from 'pg';
import { systemClock } from '../packages/server/src/base/clock.ts';
import type { Statement } from '../packages/server/src/db/database.ts';
import { prologue } from '../packages/server/src/db/pool.ts';
import type { Read } from '../packages/server/src/doors/door.ts';
import { allEnvs } from '../packages/server/src/doors/reach.ts';
import { checkedBatch } from '../packages/server/src/features/ingest/batch-check.ts';
import { namedIn } from '../packages/server/src/features/ingest/named-ids.ts';
import {
  insertUsage,
  listUnknown,
  updateBudget,
} from '../packages/server/src/features/ingest/rows.ts';
import { talliesOf } from '../packages/server/src/features/ingest/tallies.ts';
import { batchOf, type IngestGround } from './ingest-ground.ts';
import { IN_TIME } from './statements.ts';

export type BareOrder = { ms: number; concurrency: number };
export type BareResult = { events: number; ms: number };

const { BENCH_URL, BENCH_GROUND = '{}', BENCH_EVENTS } = process.env;
const EVENTS_PER_MINUTE = 999_999_999;

const ground: IngestGround = JSON.parse(BENCH_GROUND);
const { workspaceId } = ground;
const pool = new pg.Pool({
  connectionString: BENCH_URL,
  max: 10,
  options: '-c search_path=keyrail',
  idleTimeoutMillis: 0,
  pipeline: true,
});
const opening = prologue(
  { role: 'kr_record', scope: { workspaceId, envs: allEnvs }, deadline: IN_TIME },
  systemClock,
);
const prepared = new Map<string, string>();

function query({ text, values }: Statement): pg.QueryConfig {
  const name = prepared.get(text) ?? `bare_${prepared.size}`;
  prepared.set(text, name);
  return { name, text, values: [...values] };
}

/** The slice's own statements, each in a transaction of its own and one trip. */
const bare = {
  reach: { workspaceId, envs: allEnvs },
  run: async (statement: Statement) => {
    const client = await pool.connect();
    try {
      const sent = ['begin', query(opening), query(statement), 'commit'];
      const results = await Promise.all(sent.map((each) => client.query(each)));
      const [row] = results[2]?.rows ?? [];
      return { rows: [{ ...row, resetMs: row?.reset_ms }], count: results[2]?.rowCount ?? 0 };
    } finally {
      client.release();
    }
  },
} as unknown as Read; // its reach has no actor: the statements need none

const { events } = checkedBatch(batchOf(ground, Number(BENCH_EVENTS)));
const named = namedIn(events);
const tallies = talliesOf(events, 0);

async function recordOnce(): Promise<void> {
  const charge = { cost: events.length, eventsPerMinute: EVENTS_PER_MINUTE };
  const { allowed } = await updateBudget(bare, charge);
  if (!allowed) throw new Error('the budget is used up');
  await listUnknown(bare, named);
  if (!(await insertUsage(bare, [], tallies))) throw new Error('nothing was recorded');
}

async function run({ ms, concurrency }: BareOrder): Promise<BareResult> {
  const began = performance.now();
  let batches = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() - began < ms) {
      await recordOnce();
      batches += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { events: batches * events.length, ms: performance.now() - began };
}

process.on('message', async (order: BareOrder) => {
  try {
    process.send?.({ result: await run(order) });
  } catch (error) {
    process.send?.({ fault: error instanceof Error ? error.message : String(error) });
  }
});
process.once('disconnect', () => process.exit(0));
process.send?.({ ready: true });
