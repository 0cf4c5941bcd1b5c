// The peer of ingest, in a process of its own: the very statements that a batch costs the server,
// by bare `pg`, with everything already parsed, checked and added up.
import type { Statement } from '../packages/server/src/db/database.ts';
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
import { openRecorder } from './bare-pg.ts';
import { batchOf, type IngestGround } from './ingest-ground.ts';
import { repeat, takeOrders } from './orders.ts';

export type BareOrder = { ms: number; concurrency: number };
export type BareResult = { events: number; ms: number };

const { BENCH_GROUND = '{}', BENCH_EVENTS } = process.env;
const EVENTS_PER_MINUTE = 999_999_999;

const ground: IngestGround = JSON.parse(BENCH_GROUND);
const { workspaceId } = ground;
const record = openRecorder(workspaceId);

/** The slice's own statements. */
const bare = {
  reach: { workspaceId, envs: allEnvs },
  run: async (statement: Statement) => {
    const result = await record(statement);
    const [row] = result?.rows ?? [];
    return { rows: [{ ...row, resetMs: row?.reset_ms }], count: result?.rowCount ?? 0 };
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
  if (!(await insertUsage(bare, { named: [], tallies, tenantMonthsMax: 1e9 })))
    throw new Error('nothing was recorded');
}

takeOrders(async (order: BareOrder): Promise<BareResult> => {
  const { done, ms } = await repeat(order, () => recordOnce);
  return { events: done * events.length, ms };
});
