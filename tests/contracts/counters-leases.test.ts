// Leases on a single Redis and on a Redis Cluster: they are atomic, they expire, and their number
// is limited.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { leaseLimits } from '@keyrail/server/features/ratelimit/lease-limits.ts';
import { returnLease } from '@keyrail/server/features/ratelimit/return-lease.ts';
import { createLeaseBook } from '@keyrail/server/volatile/lease-book.ts';
import { openRedisCounters } from '@keyrail/server/volatile/redis.ts';
import {
  patience,
  redisIsMissing,
  startRedis,
  startRedisCluster,
} from '@keyrail/testing/stores/redis.ts';

const skip = redisIsMissing();
/** 31 days. The sub-buckets of such a window are two days long, so that none ends during a test. */
const MONTH_MS = 2_678_400_000;

const rules = (['key', 'tenant'] as const).map((scope) => ({
  id: scope,
  limit: 50,
  window_ms: MONTH_MS,
  algorithm: 'sliding' as const,
  scope,
}));

async function openOn(t: TestContext, url: string, isCluster: boolean) {
  const counters = openRedisCounters({ url, isCluster, onFault: () => {}, ...patience });
  t.after(() => counters.close());
  await counters.settled;
  return counters;
}

const newSubjects = () => ({
  workspaceId: randomUUID(),
  env: 'live' as const,
  projectId: randomUUID(),
  keyId: randomUUID(),
  tenantId: randomUUID(),
});

const startOne = async () => {
  const { url, tell, stop } = await startRedis();
  return { url, stop, ttl: (name: string) => tell('PTTL', name) };
};
const startCluster = async () => {
  const { url, stop } = await startRedisCluster();
  return { url, stop, ttl: null };
};

for (const [where, start] of Object.entries({
  'on Redis': startOne,
  'on a Redis Cluster': startCluster,
})) {
  test(`concurrent leases grant exactly the limit, and each can be returned only once, ${where}`, {
    skip,
  }, async (t) => {
    const { url, stop, ttl } = await start();
    t.after(stop);
    const counters = await openOn(t, url, ttl === null);
    for (let at = 0; at < 10; at += 1) {
      // Uses different subjects each time, so that on a Cluster they cover all nodes.
      const subjects = newSubjects();
      const asked = Array.from({ length: 20 }, (_, n) =>
        leaseLimits(counters, { subjects, rules, want: 4, id: `${n}` }),
      );
      const leases = await Promise.all(asked);
      equal(
        leases.reduce((sum, { granted }) => sum + granted, 0),
        50,
      );
      ok(leases.every(({ expiresInMs }) => expiresInMs <= MONTH_MS / 16));
      const [first] = leases;
      ok(first);
      const rest = { subjects, rules, leaseId: first.leaseId, unused: first.granted };
      const back = Array.from({ length: 5 }, () => returnLease(counters, rest));
      deepEqual((await Promise.all(back)).toSorted(), [0, 0, 0, 0, 4]);
      const { granted, tallies } = await leaseLimits(counters, {
        subjects,
        rules,
        want: 9,
        id: 'last',
      });
      deepEqual([granted, tallies.map(({ used }) => used)], [4, [50, 50]]);
      if (!ttl) continue;
      const keptMs = Number(await ttl(`kr:leases:${subjects.workspaceId}/live`));
      ok(keptMs > 0 && keptMs <= MONTH_MS / 16, `${keptMs}`);
    }
  });
}

test('the number of lease records in memory is limited, and they are dropped after their leases end', () => {
  const total = { leases: 0, leasesMax: 25 };
  const leases = createLeaseBook(10, total);
  for (let at = 0; at < 20; at += 1) leases.hold(`early ${at}`, 1000 + at, 0);
  equal(leases.take('early 9', 1009), true);
  equal(leases.take('early 9', 1009), false);
  equal(leases.take('early 10', 1010), false, 'beyond the maximum');
  for (let at = 0; at < 30; at += 1) leases.hold(`late ${at}`, 9000, 2000);
  equal(leases.take('early 0', 1000), false, 'dropped after its end');
  equal(leases.take('late 29', 9000), false);
  let held = 0;
  for (let at = 0; at < 30; at += 1) held += leases.take(`late ${at}`, 9000) ? 1 : 0;
  equal(held, 10);
  const others = [
    createLeaseBook(10, total),
    createLeaseBook(10, total),
    createLeaseBook(10, total),
  ];
  for (const other of others) {
    for (let at = 0; at < 10; at += 1) other.hold(`${at}`, 9000, 2000);
  }
  equal(total.leases, 25, 'all owners together');
  for (const other of others) other.clear();
  equal(total.leases, 0);
});
