// The baseline for ingest, in a separate process: bare `pg` sends the statements that the server
// would send for a batch, but the batch has already been parsed, checked and summed.
import { checkedBatch } from '@keyrail/server/features/ingest/batch-check.ts';
import { namedIn } from '@keyrail/server/features/ingest/named-ids.ts';
import { insertUsage, listUnknown, updateBudget } from '@keyrail/server/features/ingest/rows.ts';
import { talliesOf } from '@keyrail/server/features/ingest/tallies.ts';
import type { Span } from '../load/contestants.ts';
import { runCommands } from '../load/worker-loop.ts';
import { repeat } from '../measure/overrun.ts';
import { batchOf, type TelemetrySetup } from '../setup/telemetry.ts';
import { openRecorder } from './bare-pg.ts';

const { BENCH_SETUP = '{}', BENCH_EVENTS } = process.env;
const EVENTS_PER_MINUTE = 999_999_999;

const setup: TelemetrySetup = JSON.parse(BENCH_SETUP);
const recorder = openRecorder(setup.workspaceId);
const { events } = checkedBatch(batchOf(setup, Number(BENCH_EVENTS)));
const named = namedIn(events);
const tallies = talliesOf(events, 0);

async function recordBatch(): Promise<void> {
  const charge = { cost: events.length, eventsPerMinute: EVENTS_PER_MINUTE };
  const { allowed } = await updateBudget(recorder, charge);
  if (!allowed) throw new Error('the event budget is exhausted');
  await listUnknown(recorder, named);
  const isRecorded = await insertUsage(recorder, { named: [], tallies, tenantMonthsMax: 1e9 });
  if (!isRecorded) throw new Error('the batch was not recorded');
}

runCommands(async (span: Span) => {
  const counted = await repeat(span, () => recordBatch);
  return { ...counted, done: counted.done * events.length };
});
