// The peer of ingest, in a process of its own: the statements that a batch costs the server, sent
// by bare `pg`, with the batch already parsed, checked and summed.
import type { Statement } from '@keyrail/server/db/database.ts';
import type { Read } from '@keyrail/server/doors/door.ts';
import { allEnvs } from '@keyrail/server/doors/reach.ts';
import { checkedBatch } from '@keyrail/server/features/ingest/batch-check.ts';
import { namedIn } from '@keyrail/server/features/ingest/named-ids.ts';
import { insertUsage, listUnknown, updateBudget } from '@keyrail/server/features/ingest/rows.ts';
import { talliesOf } from '@keyrail/server/features/ingest/tallies.ts';
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
} as unknown as Read; // no actor in its reach: the statements do not use it

const { events } = checkedBatch(batchOf(ground, Number(BENCH_EVENTS)));
const named = namedIn(events);
const tallies = talliesOf(events, 0);

async function recordOnce(): Promise<void> {
  const charge = { cost: events.length, eventsPerMinute: EVENTS_PER_MINUTE };
  const { allowed } = await updateBudget(bare, charge);
  if (!allowed) throw new Error('the event budget is exhausted');
  await listUnknown(bare, named);
  if (!(await insertUsage(bare, { named: [], tallies, tenantMonthsMax: 1e9 })))
    throw new Error('the batch was not recorded');
}

takeOrders(async (order: BareOrder): Promise<BareResult> => {
  const { done, ms } = await repeat(order, () => recordOnce);
  return { events: done * events.length, ms };
});
