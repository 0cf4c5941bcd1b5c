// Connections to PostgreSQL break at any byte. Each change happens once or not at all, and no
// response is a 500. After a retry with its idempotency key, each change has happened exactly once.
import { ok } from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRun } from '@keyrail/testing/full-run.ts';
import {
  BOOTSTRAP_TOKEN,
  type Cluster,
  openCluster,
  settingsFor,
  whyNoCluster,
} from '@keyrail/testing/processes/homes.ts';
import {
  assertDecent,
  audit,
  openLedger,
  repeatLost,
  startWriting,
  writeOnce,
} from '@keyrail/testing/processes/ledger.ts';
import { openProxy } from '@keyrail/testing/processes/proxy.ts';
import { startServer } from '@keyrail/testing/processes/server.ts';
import { until } from '@keyrail/testing/until.ts';

const CLIENTS = 6;
const TERMINATIONS = inRun({ usual: 20, full: 40 });
const CUT_MS = inRun({ usual: 2000, full: 4000 });
const HANG_UPS = inRun({ usual: 20, full: 40 });

const skip = whyNoCluster();
let cluster: Cluster;
before(async () => {
  if (!skip) cluster = await openCluster({ tcp: true });
});
after(() => cluster?.close());

test('no change is duplicated when backends are terminated under load', { skip }, async (t) => {
  const server = await startServer(cluster.settings);
  t.after(server.kill);
  const ledger = await openLedger(server.url, BOOTSTRAP_TOKEN);
  const load = startWriting(CLIENTS, () => writeOnce(server.url, ledger));
  const assassin = await cluster.session();
  for (let kill = 0; kill < TERMINATIONS; kill += 1) {
    await sleep(randomInt(10, 60));
    await assassin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'keyrail' and random() < 0.7`,
    );
  }
  await assassin.end();
  await load.stop();
  assertDecent(ledger);
  ok(
    [...ledger.fates.values()].every(({ kind }) => kind === 'answered'),
    'the process died',
  );
  await repeatLost(server.url, ledger);
  await audit(server.url, ledger);
  t.diagnostic(`${ledger.fates.size} writes, ${ledger.acknowledged.size} acknowledged`);
});

test('no change is duplicated when connections are reset at any byte', { skip }, async (t) => {
  const proxy = await openProxy(cluster.postgres.port);
  t.after(proxy.close);
  const url = new URL(cluster.url);
  url.port = String(proxy.port);
  const server = await startServer(settingsFor(url.toString()));
  t.after(server.kill);
  const ledger = await openLedger(server.url, BOOTSTRAP_TOKEN);
  proxy.cutAfter(() => randomInt(1, 30_000));
  const load = startWriting(CLIENTS, () => writeOnce(server.url, ledger));
  await sleep(CUT_MS);
  const { acknowledged, fates } = ledger;
  await until(() => acknowledged.size > 0 && acknowledged.size < fates.size);
  await load.stop();
  proxy.cutAfter(null);
  t.diagnostic(`${fates.size} writes, ${acknowledged.size} acknowledged`);
  t.diagnostic(`${proxy.cuts()} connections were cut`);
  assertDecent(ledger);
  ok(
    [...ledger.fates.values()].every(({ kind }) => kind === 'answered'),
    'the process died',
  );
  // Clients also disconnect, at random moments.
  const hangUp = () => writeOnce(server.url, ledger, { timeoutMs: randomInt(1, 20) });
  for (let at = 0; at < HANG_UPS; at += 1) await hangUp();
  await repeatLost(server.url, ledger);
  await audit(server.url, ledger);
});
