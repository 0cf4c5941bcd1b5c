// Short soaks with a fixed seed on each store. The long form is `npm run soak`.
import { deepEqual, ok } from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { inRun } from '@keyrail/testing/full-run.ts';
import type { Bed } from '../../lab/soak/bed/bed.ts';
import { reportOf, violationsIn } from '../../lab/soak/report.ts';
import { soak } from '../../lab/soak/run.ts';

/** The invariants that every soak checks, even on a slow machine. */
const ALWAYS = ['I1', 'I2', 'I3', 'I4', 'I5', 'I6', 'I7', 'I9', 'I11', 'I20', 'I21', 'I25'];

const SECONDS = inRun({ usual: 15, full: 60 });
const SEED = Number(process.env.KEYRAIL_TEST_FIRST_SEED ?? 1);

/** Time for the soak, and for starting and recovering several processes on a busy machine. */
export const SOAK_TIMEOUT_MS = 200_000;

export async function assertSoaks(
  t: TestContext,
  open: () => Promise<Bed>,
  clients: number,
): Promise<void> {
  const account = await soak(open, { seed: SEED, seconds: SECONDS, clients });
  for (const line of reportOf(account).split('\n')) t.diagnostic(line);
  for (const { what, ms } of account.recoveries) ok(ms !== null, `${what}: no recovery`);
  // The invariant I25, about recovery times, is left out: other tests run on the same machine, so
  // only the long form measures them.
  const wrong = violationsIn(account).filter((sentence) => !sentence.startsWith('I25: '));
  deepEqual(wrong, [], `seed ${SEED}`);
  const reached = account.verdicts.filter(({ reached: times }) => times > 0);
  const names = new Set(reached.map(({ name }) => name));
  deepEqual(
    ALWAYS.filter((name) => !names.has(name)),
    [],
  );
  ok(account.faults.length > 0, 'no fault happened');
}
