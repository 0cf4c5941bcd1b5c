// Measures how much work a store completes under a saturating load and under many times that load.
// The store must immediately reject work that it couldn't finish in time, and use its connections
// for the rest.
import { ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { deadlineAfter } from '@keyrail/server/base/deadline.ts';
import type { Database, Statement } from '@keyrail/server/db/database.ts';
import { StoreUnavailable } from '@keyrail/server/db/faults.ts';

/** The time limit of a request. */
const WAIT_MS = 3000;
/** Rejected callers retry sooner than `retry-after` allows. */
const PAUSE_MS = 200;
/** Counting starts once the earliest callers would have timed out. */
const SETTLED_MS = 3500;
export const SHARE_MIN = 0.8;

export type Goodput = { callers: number; done: number; refused: number };

export type Work = (goesFirst?: boolean) => Promise<boolean>;

/**
 * A change as an endpoint would make it: several statements, one after another. `onStatement` is
 * called after each of them.
 */
export const workOn =
  (db: Database, statements: readonly Statement[], onStatement = () => {}): Work =>
  async (goesFirst = false) => {
    const scope = { workspaceId: null, envs: [] };
    const opening = {
      role: 'kr_read',
      scope,
      deadline: deadlineAfter(WAIT_MS),
      goesFirst,
    } as const;
    try {
      return await db.transaction(opening, async ({ run }) => {
        for (const statement of statements) {
          await run(statement);
          onStatement();
        }
        return { kind: 'commit', last: [], result: () => true };
      });
    } catch (error) {
      if (error instanceof StoreUnavailable || /timeout/.test(String(error))) return false;
      throw error;
    }
  };

/** Runs callers in parallel, each of which makes one request after another. */
export async function measure(work: Work, callers: number, ms: number): Promise<Goodput> {
  const goodput = { callers, done: 0, refused: 0 };
  let phase: 'settling' | 'counted' | 'over' = 'settling';
  const running = Array.from({ length: callers }, async () => {
    while (phase !== 'over') {
      const isDone = await work();
      if (phase === 'counted') goodput[isDone ? 'done' : 'refused'] += 1;
      if (!isDone) await sleep(PAUSE_MS);
    }
  });
  await sleep(SETTLED_MS);
  phase = 'counted';
  await sleep(ms);
  phase = 'over';
  await Promise.all(running);
  return goodput;
}

/** `peak` was measured at the load that just saturates the store; `others`, at multiples of it. */
export function assertHolds(peak: Goodput, others: readonly Goodput[]): void {
  for (const { callers, done } of others) {
    const summary = `${done} done for ${callers} callers, ${peak.done} for ${peak.callers}`;
    ok(done >= peak.done * SHARE_MIN, summary);
  }
}
