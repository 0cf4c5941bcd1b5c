// PostgreSQL is far away: every round trip takes 200 ms. Excess callers don't reduce the amount of
// work completed, and priority requests are served first.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@keyrail/server/base/clock.ts';
import { openPostgres } from '@keyrail/server/db/postgres.ts';
import { openCluster, whyNoCluster } from '@keyrail/testing/processes/homes.ts';
import { openProxy } from '@keyrail/testing/processes/proxy.ts';
import { runServer } from '@keyrail/testing/processes/server.ts';
import { assertHolds, measure, workOn } from './goodput.ts';

const CONNECTIONS = 5;
const ROUND_TRIP_MS = 200;
const MEASURED_MS = 5000;
const FIRST = 5;
const FIRST_DONE_MIN = 4;

const skip = whyNoCluster();

test('a slow database at its maximum load completes just as much work at 3 or 30 times that load', {
  skip,
}, async (t) => {
  const cluster = await openCluster({ tcp: true });
  t.after(cluster.close);
  const { code, output } = await runServer(['migrate'], cluster.settings);
  equal(code, 0, output);
  const wire = await openProxy(cluster.postgres.port);
  t.after(wire.close);
  const url = new URL(cluster.url);
  url.port = String(wire.port);
  const db = openPostgres({
    url: url.href,
    clock: systemClock,
    connectionsMax: CONNECTIONS,
    onIdleError: () => {},
  });
  t.after(() => db.close());
  const statement = { text: 'select 1 as one', values: [] };
  const work = workOn(db, [statement, statement]);
  await Promise.all(Array.from({ length: CONNECTIONS * 2 }, () => work())); // opens all connections
  wire.delayAnswers(ROUND_TRIP_MS);

  const peak = await measure(work, CONNECTIONS, MEASURED_MS);
  const three = await measure(work, CONNECTIONS * 3, MEASURED_MS);
  const thirty = measure(work, CONNECTIONS * 30, MEASURED_MS);
  let done = 0;
  for (let at = 0; at < FIRST; at += 1) if (await work(true)) done += 1;
  for (const found of [peak, three, await thirty]) t.diagnostic(JSON.stringify(found));
  assertHolds(peak, [three, await thirty]);
  ok(done >= FIRST_DONE_MIN, `${done} of ${FIRST} priority requests were done`);
});
