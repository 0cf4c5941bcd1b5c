// Some callers flood Redis with made-up counters. Redis never becomes full, and everyone else's
// checks are still served, even those that need new counters.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { ApiError } from '@keyrail/server/base/errors.ts';
import { openRedisCounters, type RedisCounters } from '@keyrail/server/volatile/redis.ts';
import { ask, harness, type Input } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import {
  patience,
  type RedisServer,
  redisIsMissing,
  startRedis,
  startRedisCluster,
} from '@keyrail/testing/stores/redis.ts';
import { until } from '@keyrail/testing/until.ts';

const skip = redisIsMissing();
const CHECK = 'POST /v1/ratelimit/check';
const MONTH_MS = 2_678_400_000;
const RULES_MAX = 8;
const AT_ONCE = 20;

async function openOn(t: TestContext, url: string, more: { isCluster?: boolean } = {}) {
  const { isCluster = false } = more;
  // Timeouts are long, so that the test also passes on a slow machine.
  const counters = openRedisCounters({ url, isCluster, onFault: () => {}, ...patience });
  t.after(() => counters.close());
  await counters.settled;
  return counters;
}

const usedShare = async (redis: Pick<RedisServer, 'tell'>): Promise<number> => {
  const info = String(await redis.tell('INFO', 'memory'));
  const bytes = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
  return bytes('used_memory') / bytes('maxmemory');
};

/** Charges eight of the owner's counters; true if allowed, false for a 429. */
const charge = (counters: RedisCounters, owner: string, names: string[]): Promise<boolean> => {
  const slot = counters.isSlotted ? `{${owner}}` : '';
  const rules = names.map((name) => ({
    name: `kr:rl:${slot}${owner}/${randomUUID()}/k/${randomUUID()}/${name}`,
    limit: 1,
    windowMs: MONTH_MS,
    algorithm: 'sliding' as const,
  }));
  return counters.check({ name: slot || owner, namesMax: counters.namesMax }, rules, 1).then(
    () => true,
    (error: unknown) => {
      ok(error instanceof ApiError);
      equal(error.code, 'rate_limited', String(error.cause));
      return false;
    },
  );
};

const eight = Array.from({ length: RULES_MAX }, (_, at) => `r${at}`);

/** Sends checks until a whole round of them is denied; returns how many were allowed. */
async function flood(counters: RedisCounters, owners: string[]): Promise<number> {
  let charged = 0;
  for (let round = 0; round < 2000; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) =>
        charge(counters, owners[(round * AT_ONCE + at) % owners.length] ?? '', eight),
      ),
    );
    charged += answers.filter(Boolean).length;
    if (answers.every((each) => !each)) return charged;
  }
  return charged;
}

test("a test key that floods a small Redis does not affect other callers' checks", {
  skip,
}, async (t) => {
  const redis = await startRedis({ maxmemory: '20mb', 'maxmemory-policy': 'noeviction' });
  t.after(() => redis.stop());
  const counters = await openOn(t, redis.url);
  const victim = await harness(t);
  const flooder = await harness(t);
  const beside = appBeside(t, victim.testApp, {
    counters: { ...counters, close: async () => {} },
    hotAuthMs: 60_000,
  });
  const limits = (count: number, limit: number) =>
    Array.from({ length: count }, (_, at) => {
      const rule = { id: `r${at}`, limit, window_ms: MONTH_MS };
      return { ...rule, algorithm: 'sliding', scope: 'key' };
    });
  const check = async (token: string, input: Input) => {
    const headers = { authorization: `Bearer ${token}` };
    const subject = { project_id: randomUUID(), key_id: randomUUID() };
    return ask(beside, CHECK, { input: { ...subject, ...input }, headers });
  };
  const known = { key_id: randomUUID(), project_id: randomUUID() };
  const statuses = async () => {
    const one = await check(victim.tokens.liveKey, { ...known, env: 'live', limits: limits(1, 9) });
    const other = await check(victim.tokens.liveKey, { env: 'live', limits: limits(1, 9) });
    return [one.status, other.status];
  };
  deepEqual(await statuses(), [200, 200]);
  await flood(counters, [`${flooder.workspaceId}/test`]);
  const { status } = await check(flooder.tokens.testKey, { env: 'test', limits: limits(8, 9) });
  equal(status, 429);
  deepEqual(await statuses(), [200, 200]);
  equal(counters.state().ready, true);
  ok((await usedShare(redis)) < 0.5, 'one owner has at most an eighth');
});

test('twenty owners that flood a small Redis do not fill it, and others can still create counters', {
  skip,
}, async (t) => {
  const redis = await startRedis({ maxmemory: '20mb', 'maxmemory-policy': 'noeviction' });
  t.after(() => redis.stop());
  const counters = await openOn(t, redis.url);
  const known = {
    name: 'kr:rl:victim',
    limit: 3,
    windowMs: MONTH_MS,
    algorithm: 'sliding' as const,
  };
  const checkKnown = () => counters.check({ name: 'victim', namesMax: 1_000_000 }, [known], 1);
  equal((await checkKnown()).allowed, true);
  const owners = Array.from({ length: 20 }, (_, at) => `owner-${at}`);
  ok((await flood(counters, owners)) > 1000);
  const used = await usedShare(redis);
  ok(used >= 0.79 && used < 0.95, `${used}`);
  equal((await checkKnown()).tallies[0]?.used, 2, 'a counter that exists is charged');
  for (let at = 0; at < 20; at += 1) equal(await charge(counters, 'victim', ['new']), true);
  equal(await charge(counters, 'newcomer', eight), true);
  equal((await checkKnown()).allowed, true);
  equal((await checkKnown()).allowed, false);
  equal(counters.state().ready, true);
});

test('in a Redis without maxmemory, every owner can have a million counters', {
  skip,
}, async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const counters = await openOn(t, redis.url);
  equal(counters.namesMax, 1_000_000);
  for (let at = 0; at < 200; at += 1) equal(await charge(counters, 'one', eight), true);
});

test('a Cluster with a nearly full master denies new counters only to owners with many counters', {
  skip,
}, async (t) => {
  const memory = { maxmemory: '12mb', 'maxmemory-policy': 'noeviction' };
  const cluster = await startRedisCluster(async () => memory);
  t.after(() => cluster.stop());
  const counters = await openOn(t, cluster.url, { isCluster: true });
  await until(() => counters.state().ready);
  const owners = Array.from({ length: 120 }, (_, at) => `owner-${at}`);
  ok((await flood(counters, owners)) > 1000);
  const shares = await Promise.all(cluster.nodes.map(usedShare));
  ok(Math.max(...shares) < 0.97, `${shares}`);
  for (let at = 0; at < 30; at += 1) equal(await charge(counters, `newcomer-${at}`, ['new']), true);
});
