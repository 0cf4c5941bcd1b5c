// Rate-limit leases, with counters in memory.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { harness, type Input, refused } from '@keyrail/testing/harness.ts';

const check = 'POST /v1/ratelimit/check';
const lease = 'POST /v1/ratelimit/lease';
const giveBack = 'POST /v1/ratelimit/return';
/**
 * The longest possible window. It is divided into sub-buckets of about two days, so no sub-bucket
 * ends during a test.
 */
const MONTH_MS = 2_678_400_000;

const rule = (id: string, more: Input = {}): Input => ({
  id,
  limit: 100,
  window_ms: MONTH_MS,
  algorithm: 'sliding',
  scope: 'key',
  ...more,
});

/** The input for a lease with these limits, for a new key and tenant. */
const subject = (limits: Input[], more: Input = {}) => ({
  project_id: randomUUID(),
  env: 'live',
  key_id: randomUUID(),
  tenant_id: randomUUID(),
  limits,
  ...more,
});

const restOf = ({ policies }: { policies: { remaining: number }[] }) =>
  policies.map(({ remaining }) => remaining);

test('a lease is charged immediately and in full, to the same counters as checks', async (t) => {
  const { as } = await harness(t);
  const input = subject([rule('narrow'), rule('wide', { limit: 1000, scope: 'tenant' })]);
  await as.liveKey(check, input);
  const { lease_id, policies, expires_in_ms, ...rest } = await as.liveKey(lease, {
    ...input,
    want: 30,
  });
  deepEqual(rest, {
    object: 'ratelimit_lease',
    granted: 30,
    limited_policy: null,
    retry_after_seconds: null,
    store: 'memory',
  });
  deepEqual(restOf({ policies }), [69, 969]);
  ok(expires_in_ms < MONTH_MS / 16, 'the lease ends with the sub-bucket');
  deepEqual(restOf(await as.liveKey(check, { ...input, cost: 0 })), [69, 969]);

  const back = { ...input, lease_id, unused: 12 };
  const returned = { object: 'ratelimit_lease', lease_id, returned: 12 };
  deepEqual(await as.liveKey(giveBack, back), returned);
  deepEqual(restOf(await as.liveKey(check, { ...input, cost: 0 })), [81, 981]);
  equal((await as.liveKey(giveBack, back)).returned, 0, 'a second time');
  deepEqual(restOf(await as.liveKey(check, { ...input, cost: 0 })), [81, 981]);
});

test('a lease gets all units remaining under the strictest rule, and the next lease gets none', async (t) => {
  const { as } = await harness(t);
  const input = subject([rule('wide', { limit: 1000 }), rule('narrow', { limit: 5 })]);
  const first = await as.liveKey(lease, { ...input, want: 10_000 });
  deepEqual([first.granted, restOf(first)], [5, [995, 0]]);
  const second = await as.liveKey(lease, { ...input, want: 1 });
  deepEqual([second.granted, second.limited_policy, second.expires_in_ms], [0, 'narrow', 0]);
  ok(Number(second.retry_after_seconds) > MONTH_MS / 1000 - 1);
  deepEqual(restOf(second), [995, 0]);
  const none = { ...input, lease_id: second.lease_id, unused: 1 };
  equal((await as.liveKey(giveBack, none)).returned, 0);
  equal((await as.liveKey(check, input)).allowed, false);
});

test('a return that is too large, too late or for different counters changes nothing', async (t) => {
  const { as, clock } = await harness(t);
  const input = subject([rule('one'), rule('two', { scope: 'tenant' })]);
  const { lease_id } = await as.liveKey(lease, { ...input, want: 10 });
  const back = { ...input, lease_id, unused: 10 };
  for (const [what, asked] of Object.entries({
    'more than was granted': { ...back, unused: 11 },
    'another key': { ...back, key_id: randomUUID() },
    'another environment': { ...back, env: 'test' },
    'fewer rules': { ...back, limits: input.limits.slice(0, 1) },
    'another order of rules': { ...back, limits: input.limits.toReversed() },
    'an invented lease': { ...back, lease_id: `${randomUUID()}.10` },
    'no lease at all': { ...back, lease_id: 'x' },
  })) {
    equal((await as.liveKey(giveBack, asked)).returned, 0, what);
  }
  deepEqual(restOf(await as.liveKey(check, { ...input, cost: 0 })), [90, 90]);
  clock.shift(MONTH_MS / 16);
  equal((await as.liveKey(giveBack, back)).returned, 0, 'after its end');
  deepEqual(restOf(await as.liveKey(check, { ...input, cost: 0 })), [90, 90]);
});

test('a workspace cannot return another workspace’s lease', async (t) => {
  const mine = await harness(t);
  const theirs = await harness(t);
  const input = subject([rule('one')]);
  const { lease_id } = await theirs.as.liveKey(lease, { ...input, want: 10 });
  const own = await mine.as.liveKey(lease, { ...input, want: 10 });
  const back = { ...input, lease_id, unused: 10 };
  equal((await mine.as.liveKey(giveBack, back)).returned, 0);
  equal((await mine.as.liveKey(giveBack, { ...back, lease_id: own.lease_id })).returned, 10);
  equal((await theirs.as.liveKey(giveBack, back)).returned, 10);
});

test('a test key can lease and return only in the test environment', async (t) => {
  const { as } = await harness(t);
  const input = subject([rule('one')]);
  await refused(as.testKey(lease, { ...input, want: 1 }), 403, 'forbidden');
  const { lease_id } = await as.testKey(lease, { ...input, env: 'test', want: 5 });
  await refused(as.testKey(giveBack, { ...input, lease_id, unused: 1 }), 403, 'forbidden');
  equal((await as.testKey(giveBack, { ...input, env: 'test', lease_id, unused: 5 })).returned, 5);
});

test('concurrent leases and checks together allow exactly the limit', async (t) => {
  const { as } = await harness(t);
  const input = subject([rule('fifty', { limit: 50 })]);
  const leased = Array.from({ length: 20 }, () => as.liveKey(lease, { ...input, want: 4 }));
  const checked = Array.from({ length: 40 }, () => as.liveKey(check, input));
  let admitted = 0;
  for (const { granted } of await Promise.all(leased)) admitted += granted;
  for (const { allowed } of await Promise.all(checked)) admitted += allowed ? 1 : 0;
  equal(admitted, 50);
});
