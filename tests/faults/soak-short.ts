// Short soaks with fixed seeds, half a minute each: two on each store, so two minutes in all. The
// long form is `npm run soak`.
import { deepEqual, ok } from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Bed } from '../soak/bed/bed.ts';
import { reportOf, violationsIn } from '../soak/report.ts';
import { type Order, soak } from '../soak/run.ts';

/** Reached in any soak, however slow the machine is. */
const ALWAYS = ['I1', 'I2', 'I3', 'I4', 'I5', 'I6', 'I7', 'I9', 'I11', 'I20', 'I21', 'I25'];

const SECONDS = 30;
const FIRST_SEED = Number(process.env.KEYRAIL_TEST_FIRST_SEED ?? 1);
export const SEEDS = [FIRST_SEED, FIRST_SEED + 1];

export async function assertSoaks(
  t: TestContext,
  open: () => Promise<Bed>,
  order: Pick<Order, 'seed' | 'clients'>,
): Promise<void> {
  const account = await soak(open, { seconds: SECONDS, ...order });
  for (const line of reportOf(account).split('\n')) t.diagnostic(line);
  for (const { what, ms } of account.recoveries) ok(ms !== null, `${what}: never again`);
  // How soon is measured by the long form: a test shares its machine with others.
  const wrong = violationsIn(account).filter((sentence) => !sentence.startsWith('I25: '));
  deepEqual(wrong, []);
  const reached = account.verdicts.filter(({ reached: times }) => times > 0);
  const names = new Set(reached.map(({ name }) => name));
  deepEqual(
    ALWAYS.filter((name) => !names.has(name)),
    [],
  );
  ok(account.faults.length > 0, 'no fault happened');
}
