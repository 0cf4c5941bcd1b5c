// How much work a store completes under a load, and under many times that load: it refuses what it
// could not finish in time, at once, and its connections are spent on work that is completed.
import { ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { deadlineAfter } from '../../packages/server/src/base/deadline.ts';
import type { Database, Statement } from '../../packages/server/src/db/database.ts';
import { StoreUnavailable } from '../../packages/server/src/db/faults.ts';

/** As long as a request has. */
const WAIT_MS = 3000;
/** Refused callers come back sooner than `retry-after` tells them to. */
const PAUSE_MS = 200;
/** Nothing is counted before the first caller would time out. */
const SETTLED_MS = 3500;
const SHARE_MIN = 0.7;

export type Goodput = { callers: number; done: number; refused: number };

export type Work = (goesFirst?: boolean) => Promise<boolean>;

/** A change as an endpoint makes one: several statements, each of which waits for the last. */
export const workOn =
  (db: Database, statements: readonly Statement[]): Work =>
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
        for (const statement of statements) await run(statement);
        return { kind: 'commit', last: [], result: () => true };
      });
    } catch (error) {
      if (error instanceof StoreUnavailable || /timeout/.test(String(error))) return false;
      throw error;
    }
  };

/** Callers that each do one thing after the other. */
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

/** `peak` is the load that just saturates; the others are many times that. */
export function assertHolds(peak: Goodput, others: readonly Goodput[]): void {
  for (const { callers, done } of others) {
    const told = `${done} done for ${callers} callers, ${peak.done} for ${peak.callers}`;
    ok(done >= peak.done * SHARE_MIN, told);
  }
}
