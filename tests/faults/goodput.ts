// Work a store completes under a saturating load and under many times that load. The store must
// immediately refuse work it could not finish in time, and use its connections for the rest.
import { ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { deadlineAfter } from '@keyrail/server/base/deadline.ts';
import type { Database, Statement } from '@keyrail/server/db/database.ts';
import { StoreUnavailable } from '@keyrail/server/db/faults.ts';

/** The time limit of a request. */
const WAIT_MS = 3000;
/** Refused callers retry sooner than `retry-after` allows. */
const PAUSE_MS = 200;
/** Counting starts after the first caller could have timed out. */
const SETTLED_MS = 3500;
export const SHARE_MIN = 0.8;

export type Goodput = { callers: number; done: number; refused: number };

export type Work = (goesFirst?: boolean) => Promise<boolean>;

/**
 * A change as an endpoint makes it: several statements, each awaited. `onStatement` is called after
 * each statement.
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

/** Runs callers that each make one request after the other. */
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

/** `peak` is the load that just saturates; the others are multiples of it. */
export function assertHolds(peak: Goodput, others: readonly Goodput[]): void {
  for (const { callers, done } of others) {
    const summary = `${done} done for ${callers} callers, ${peak.done} for ${peak.callers}`;
    ok(done >= peak.done * SHARE_MIN, summary);
  }
}
