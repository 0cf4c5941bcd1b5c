// Key states, as the server reports them.
import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '@keyrail/protocol/wire/durations.ts';
import { setUpCli } from '../../test/harness.ts';

test('`keys list --state` prints only the keys in the given state', async (t) => {
  const { here: keyrail, as, given, clock } = await setUpCli(t);
  const expires_at = new Date(clock.now().getTime() + 3 * DAY_MS).toISOString();
  await given.key({ expires_at });
  const leaked = await given.key({ expires_at });
  const reports = [{ token: leaked.key, type: 'keyrail_key', url: '', source: 'content' }];
  await as.scanner('POST /v1/webhooks/scanner/secret_scanning', { reports });
  await as.liveKey('POST /v1/keys/{id}/disable', { id: leaked.id });
  for (const state of ['expiring', 'quarantined']) {
    const { stdout } = await keyrail(`keys list --state ${state}`);
    const [, ...rows] = stdout.trimEnd().split('\n');
    equal(rows.length, 1, stdout);
    match(rows[0] ?? '', new RegExp(` ${state} `));
  }
  const own = await keyrail('secret-keys list');
  match(own.stdout, / active /);
});
