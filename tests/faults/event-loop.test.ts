// The embedded store runs on the event loop, so its statements are bounded: nobody else waits long
// while a long list is read or a long chain is verified.
import { equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { test } from 'node:test';
import { deadlineAfter } from '../../packages/server/src/base/deadline.ts';
import type { Statement } from '../../packages/server/src/db/database.ts';
import { closeChange } from '../../packages/server/src/doors/tail.ts';

const KEYS = 1000;
const CHAIN_ROWS = 5000;
const ROWS_AT_ONCE = 250;
const STALL_MS_MAX = 100;
const ROUNDS = 5;

// The bench takes the store from the environment when it is loaded.
process.env.KEYRAIL_TEST_STORE = 'embedded';
const { bench } = await import('../bench.ts');

const insertKeys: Statement = {
  text: `insert into secret_keys (id, env, lookup_hash, display_prefix, name, meta, authority,
      created_at)
    select gen_random_uuid(), 'test', sha256(convert_to(gen_random_uuid()::text, 'UTF8')),
      'krsk_test_0000', 'key ' || n, '{"team":"billing"}', 'owner', app_now()
    from generate_series(1, $1::int) n`,
  values: [KEYS],
};

const closing = (workspaceId: string): Statement =>
  closeChange({
    actor: { type: 'system', id: null },
    entries: Array.from({ length: ROWS_AT_ONCE }, () => ({
      action: 'workspace.updated',
      target: workspaceId,
      payload: { changed: ['name', 'billing_email'] },
    })),
    policy: [],
    floors: [],
    newId: randomUUID,
  });

test('listing a thousand keys and verifying a long chain hold up nobody', async (t) => {
  const { as, workspaceId, world } = await bench(t);
  const scope = { workspaceId, envs: ['live', 'test'] } as const;
  for (let rows = 0; rows < CHAIN_ROWS; rows += ROWS_AT_ONCE) {
    const deadline = deadlineAfter(30_000);
    const opening = { role: 'kr_write', scope, deadline, changeId: randomUUID() } as const;
    await world.db.transaction(opening, async ({ run }) => {
      if (rows === 0) await run(insertKeys);
      return { kind: 'commit', last: [closing(workspaceId)], result: () => null };
    });
  }
  await as.liveKey('GET /v1/secret_keys'); // prepared and warm, as in a process that serves

  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { data } = await as.liveKey('GET /v1/secret_keys', { limit: KEYS });
    equal(data.length, KEYS);
    const chain = await as.liveKey('GET /v1/audit_logs/chain');
    equal(chain.verified, true);
    ok(chain.checked > CHAIN_ROWS);
  }
  delay.disable();
  const stallMs = delay.percentile(99.9) / 1e6;
  t.diagnostic(`p99.9 ${stallMs.toFixed(1)} ms, longest ${(delay.max / 1e6).toFixed(1)} ms`);
  ok(stallMs < STALL_MS_MAX, `the event loop stood still for ${stallMs} ms`);
});
