// When a start fails halfway, the server prints the reason and exits, so that a supervisor can
// restart it.
import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { openCluster, whyNoCluster } from '@keyrail/testing/processes/homes.ts';
import { runServer } from '@keyrail/testing/processes/server.ts';

test('the server exits if the database rejects its first statement, even if LISTEN connections are open', {
  skip: whyNoCluster(),
}, async (t) => {
  const cluster = await openCluster();
  t.after(cluster.close);
  const settings = { ...cluster.settings, KEYRAIL_PORT: '0' };
  equal((await runServer(['migrate'], settings)).code, 0);
  const [gate, worker] = ['kr_gate', 'kr_worker'].map((role) => `keyrail.role_of('${role}')`);
  const revoking = `format('revoke all on keyrail.signing_keys from %I, %I', ${gate}, ${worker})`;
  await cluster.ask(`do $$ begin execute ${revoking}; end $$`);
  for (const command of ['start', 'api', 'worker']) {
    const { code, output } = await runServer([command], settings);
    equal(code, 1, output);
    match(output, /keyrail-server: permission denied for table signing_keys/);
  }
});
