// Moves the test's clock forward, with or without an API process serving. The product's own record
// of served time uses this clock.
import { deadlineAfter } from '@keyrail/server/base/deadline.ts';
import { createIdMaker } from '@keyrail/server/base/ids.ts';
import { openLog } from '@keyrail/server/base/log.ts';
import { systemRandomBytes } from '@keyrail/server/base/random.ts';
import { type Gate, openGate } from '@keyrail/server/doors/gate.ts';
import {
  openServingRecord,
  type ServingRecord,
} from '@keyrail/server/features/policy/open-serving-record.ts';
import type { Harness } from './harness.ts';

const STEP_MS = 5_000;

export type ServedTime = {
  /** Moves the clock forward while an API process is serving. */
  serve(ms: number): Promise<void>;
  /**
   * Opens another API process's record. `gateOver` can wrap the gate (the record's access to the
   * database), for example to make writes fail.
   */
  another(gateOver?: (gate: Gate) => Gate): ServingRecord;
  spans(): Promise<Record<string, unknown>[]>;
};

/** Starts with an empty record, because other tests' records use a different clock. */
export async function servedTime({
  testApp,
  clock,
}: Pick<Harness, 'testApp' | 'clock'>): Promise<ServedTime> {
  const { db } = testApp;
  const log = openLog('error', process.stderr);
  const newId = createIdMaker(clock, systemRandomBytes);
  const asGate = async (text: string) => {
    const scope = { workspaceId: null, envs: [] };
    const opening = { role: 'kr_gate' as const, scope, deadline: deadlineAfter(10_000) };
    return (await db.once(opening, { text, values: [] })).rows;
  };
  await asGate('delete from served_spans');
  const another = (gateOver: (gate: Gate) => Gate = (gate) => gate) =>
    openServingRecord({ gate: gateOver(openGate(db)), newId, log });
  const first = another();
  await first.note();
  return {
    another,
    spans: () => asGate('select * from served_spans order by began_at'),
    serve: async (ms) => {
      for (let left = ms; left > 0; left -= STEP_MS) {
        clock.shift(Math.min(left, STEP_MS));
        await first.note();
      }
    },
  };
}
