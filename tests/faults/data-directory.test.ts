// Only one process can use a data directory: a second one is turned away, and the first isn't
// affected.
import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import {
  BOOTSTRAP_TOKEN,
  dataDirectory,
  emptyDirectory,
} from '@keyrail/testing/processes/homes.ts';
import {
  assertDecent,
  audit,
  openLedger,
  startWriting,
  writeOnce,
  writesOf,
} from '@keyrail/testing/processes/ledger.ts';
import { runServer, startServer } from '@keyrail/testing/processes/server.ts';

test('a second process is turned away, and the first keeps serving', async (t) => {
  const home = await dataDirectory();
  t.after(home.close);
  const first = await startServer(home.settings);
  t.after(first.kill);
  const ledger = await openLedger(first.url, BOOTSTRAP_TOKEN);
  const load = startWriting(2, () => writeOnce(first.url, ledger));

  const refused = await Promise.all(
    ['start', 'start', 'migrate'].map((command) => runServer([command], home.settings)),
  );
  // A busy server may reject some writes with a 503, but must acknowledge others.
  await writesOf(ledger, 1);
  await load.stop();
  for (const { code, output } of refused) {
    equal(code, 1, output);
    match(output, /Another Keyrail process is already using .*KEYRAIL_DATA_DIR/);
  }
  assertDecent(ledger);
  const before = await audit(first.url, ledger);

  equal((await first.stop()).code, 0);
  const again = await startServer(home.settings);
  t.after(again.kill);
  equal((await audit(again.url, ledger)).keys, before.keys);
});

test('if several processes start on an empty directory, only one of them serves', async (t) => {
  const home = await emptyDirectory();
  t.after(home.close);
  const starts = await Promise.allSettled(
    Array.from({ length: 3 }, () => startServer(home.settings)),
  );
  const serving = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  for (const server of serving) t.after(server.kill);
  equal(serving.length, 1);
  for (const start of starts) {
    if (start.status === 'rejected')
      match(String(start.reason), /Another Keyrail process is already using/);
  }
});
