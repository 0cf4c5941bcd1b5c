// The process is killed repeatedly under load, on the embedded store. Every acknowledged write
// survives, and every other write is stored either completely or not at all.
import { ok } from 'node:assert/strict';
import { test } from 'node:test';
import { inRun } from '@keyrail/testing/full-run.ts';
import { BOOTSTRAP_TOKEN, dataDirectory } from '@keyrail/testing/processes/homes.ts';
import { surviveKills } from '@keyrail/testing/processes/kills.ts';
import { openLedger } from '@keyrail/testing/processes/ledger.ts';
import { startServer } from '@keyrail/testing/processes/server.ts';

const KILLS = inRun({ usual: 2, full: 10 });

test('no acknowledged write is lost when the process is killed under load', async (t) => {
  const home = await dataDirectory();
  t.after(home.close);
  const first = await startServer(home.settings);
  t.after(first.kill);
  const ledger = await openLedger(first.url, BOOTSTRAP_TOKEN);
  const { last, acknowledged, slowestMs } = await surviveKills(first, ledger, {
    kills: KILLS,
    settings: home.settings,
  });
  t.after(last.kill);
  ok(acknowledged > KILLS * 5, `only ${acknowledged} writes were acknowledged`);
  t.diagnostic(`${acknowledged} writes acknowledged over ${KILLS} kills`);
  t.diagnostic(`ready again after at most ${Math.round(slowestMs)} ms`);
});
