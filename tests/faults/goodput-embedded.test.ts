// The embedded store has one connection and runs in this process, so its speed depends on what
// else runs on the machine. The test therefore measures what fraction of the statements belongs to
// completed work: the store must not do work for callers whose deadlines pass halfway through.
import { ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '@keyrail/server/db/database.ts';
import { measure, SHARE_MIN, workOn } from './goodput.ts';

// The application reads this setting when it is loaded.
process.env.KEYRAIL_TEST_STORE = 'embedded';
const { testApp } = await import('@keyrail/testing/test-app.ts');

const MEASURED_MS = 5000;
/** Far more callers than the store can serve within their deadlines. */
const CALLERS = 150;
const STATEMENT_MS = 100;
const STATEMENTS = 5;
const FIRST = 5;
const FIRST_DONE_MIN = 4;
const PROBE_ROWS = 200_000;

const counting = (rows: number) => ({
  text: 'select count(*) from generate_series(1, $1::int)',
  values: [rows],
});

test('an overloaded embedded store spends its time on work that it completes', async (t) => {
  const { db } = await testApp();
  const statement = counting(await rowsFor(db, STATEMENT_MS));
  let statements = 0;
  let completed = 0;
  const change = workOn(db, Array(STATEMENTS).fill(statement), () => {
    statements += 1;
  });
  const work = async (goesFirst = false) => {
    const isDone = await change(goesFirst);
    if (isDone) completed += STATEMENTS;
    return isDone;
  };

  const running = measure(work, CALLERS, MEASURED_MS);
  let first = 0;
  for (let at = 0; at < FIRST; at += 1) if (await work(true)) first += 1;
  t.diagnostic(JSON.stringify(await running));
  const share = `${completed} of ${statements} statements belong to completed work`;
  ok(completed >= statements * SHARE_MIN, share);
  ok(first >= FIRST_DONE_MIN, `${first} of ${FIRST} priority requests were done`);
});

/** How many rows the store can count on this machine in the given time. */
async function rowsFor(db: Database, ms: number): Promise<number> {
  const probe = workOn(db, [counting(PROBE_ROWS)]);
  await probe();
  const began = performance.now();
  await probe();
  return Math.round((PROBE_ROWS * ms) / (performance.now() - began));
}
