// The process is killed under load while it uses PostgreSQL, and PostgreSQL crashes while the
// process runs. No acknowledged write is lost, the process reconnects without a restart, and a
// write that got no response can be repeated with its idempotency key.
import { equal, ok } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRun } from '@keyrail/testing/full-run.ts';
import {
  BOOTSTRAP_TOKEN,
  type Cluster,
  openCluster,
  whyNoCluster,
} from '@keyrail/testing/processes/homes.ts';
import { ask } from '@keyrail/testing/processes/http.ts';
import { surviveKills } from '@keyrail/testing/processes/kills.ts';
import {
  assertDecent,
  audit,
  type Ledger,
  openLedger,
  repeatLost,
  startWriting,
  writeOnce,
} from '@keyrail/testing/processes/ledger.ts';
import { type ServerProcess, startServer } from '@keyrail/testing/processes/server.ts';

const KILLS = inRun({ usual: 2, full: 10 });
const CRASHES = 2;
const CLIENTS = 4;
const HEALED_MS_MAX = 60_000;

const skip = whyNoCluster();
let cluster: Cluster;
before(async () => {
  if (!skip) cluster = await openCluster();
});
after(() => cluster?.close());

test('no acknowledged write is lost when the process is killed under load', { skip }, async (t) => {
  const first = await startServer(cluster.settings);
  t.after(first.kill);
  const ledger = await openLedger(first.url, BOOTSTRAP_TOKEN);
  const { last, acknowledged, slowestMs } = await surviveKills(first, ledger, {
    kills: KILLS,
    settings: cluster.settings,
  });
  t.after(last.kill);
  ok(acknowledged > KILLS * 5, `only ${acknowledged} writes were acknowledged`);
  t.diagnostic(`${acknowledged} writes acknowledged over ${KILLS} kills`);
  t.diagnostic(`ready again after at most ${Math.round(slowestMs)} ms`);
});

test('the server survives two crashes of PostgreSQL under load without a restart', {
  skip,
}, async (t) => {
  const server = await startServer(cluster.settings);
  t.after(server.kill);
  const ledger = await openLedger(server.url, BOOTSTRAP_TOKEN);
  for (let crash = 1; crash <= CRASHES; crash += 1) {
    const load = startWriting(CLIENTS, () => writeOnce(server.url, ledger));
    await sleep(300);
    await cluster.postgres.crash();
    await sleep(300);
    equal(await statusOf(server, '/healthz'), 200);
    equal(await statusOf(server, '/readyz'), 503);
    const began = performance.now();
    await cluster.postgres.restart();
    await healed(server, ledger, began);
    await load.stop();
    await repeatLost(server.url, ledger);
    await audit(server.url, ledger);
    assertDecent(ledger);
  }
  ok([...ledger.fates.values()].every(({ kind }) => kind === 'answered'));
});

async function statusOf({ url }: ServerProcess, path: string): Promise<number> {
  const outcome = await ask(url, { path });
  return outcome.kind === 'answered' ? outcome.status : 0;
}

async function healed(server: ServerProcess, ledger: Ledger, began: number): Promise<void> {
  for (;;) {
    const outcome = await writeOnce(server.url, ledger);
    if (outcome.kind === 'answered' && outcome.status === 201) return;
    ok(performance.now() - began < HEALED_MS_MAX, 'the server did not recover in time');
    await sleep(50);
  }
}
