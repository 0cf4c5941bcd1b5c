// One workspace's test key floods the counters with an endless stream of made-up IDs. Its own
// checks are denied, but its workspace's live environment and all other workspaces keep their
// limits.

import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { ratelimitEndpoints } from '@keyrail/protocol/endpoints/ratelimit.ts';
import { createThrottle } from '@keyrail/server/access/throttle.ts';
import { ApiError } from '@keyrail/server/base/errors.ts';
import { ratelimitRoutes } from '@keyrail/server/features/ratelimit/routes.ts';
import type { Counters } from '@keyrail/server/volatile/counters.ts';
import { createMemoryCounters } from '@keyrail/server/volatile/memory.ts';
import { openRedisCounters } from '@keyrail/server/volatile/redis.ts';
import { ask, codeOf, harness, type Input } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import {
  patience,
  redisIsMissing,
  startRedis,
  startRedisCluster,
} from '@keyrail/testing/stores/redis.ts';

const CHECK = 'POST /v1/ratelimit/check';
const skip = redisIsMissing();
const RULES_MAX = 8;
const MONTH_MS = 2_678_400_000;

const aRule = (id: string, limit: number, windowMs: number) => ({
  id,
  limit,
  window_ms: windowMs,
  algorithm: 'sliding',
  scope: 'key',
});

const aCheck = (env: string, limits: Input[], more: Input = {}): Input => ({
  project_id: randomUUID(),
  env,
  key_id: randomUUID(),
  limits,
  ...more,
});

/** A check on eight new counters with the longest possible window. */
const flooding = (limit: number, env = 'test'): Input =>
  aCheck(
    env,
    Array.from({ length: RULES_MAX }, (_, at) => aRule(`r${at}`, limit, MONTH_MS)),
    { tenant_id: randomUUID() },
  );

async function openOn(
  t: TestContext,
  url: string,
  more: { namesMax: number; isCluster?: boolean },
) {
  const { namesMax, isCluster = false } = more;
  const counters = openRedisCounters({ url, isCluster, namesMax, onFault: () => {}, ...patience });
  t.after(() => counters.close());
  await counters.settled;
  return counters;
}

/** Calls the rate-limit endpoint directly, with nothing but counters. */
const lineOn = (counters: Counters) => async (workspaceId: string, input: Input) => {
  const route = ratelimitRoutes.find(({ line }) => line === CHECK);
  const body = ratelimitEndpoints[CHECK].body.parse(input);
  return (await route?.run({ counters, reach: { workspaceId }, body })) as Input;
};

/**
 * Floods the server over HTTP while a victim is at its limit; returns the responses that the
 * flooder and the victim get.
 */
async function attack(t: TestContext, counters: Counters, requests: number) {
  const victim = await harness(t);
  const flooder = await harness(t);
  const beside = appBeside(t, victim.testApp, {
    counters: { ...counters, close: async () => {} },
    hotAuthMs: 60_000,
  });
  const call = async (token: string, input: Input) =>
    ask(beside, CHECK, { input, headers: { authorization: `Bearer ${token}` } });
  const limited = aCheck('live', [aRule('five', 5, 3_600_000)], { cost: 5 });
  const check = () => call(victim.tokens.liveKey, { ...limited, cost: 1 });
  equal((await call(victim.tokens.liveKey, limited)).body.allowed, true);
  const flooded = new Map<number, number>();
  for (let at = 0; at < requests; at += 1) {
    const answer = await call(flooder.tokens.testKey, flooding(1));
    flooded.set(answer.status, (flooded.get(answer.status) ?? 0) + 1);
    if (answer.status !== 200) {
      equal(`${answer.status} ${codeOf(answer)}`, '429 rate_limited');
      ok(Number(answer.headers['retry-after']) >= 1);
    }
    if (at % 100) continue;
    const mine = await check();
    deepEqual([mine.status, mine.body.allowed], [200, false]);
  }
  const theirLive = await call(flooder.tokens.liveKey, flooding(1, 'live'));
  return { flooded, theirLive: theirLive.status, mine: (await check()).body.allowed };
}

test('a test key that floods Redis is denied, and other callers are not', { skip }, async (t) => {
  const redis = await startRedis({ maxmemory: '8mb', 'maxmemory-policy': 'noeviction' });
  t.after(() => redis.stop());
  const counters = await openOn(t, redis.url, { namesMax: 8000 });
  const { flooded, theirLive, mine } = await attack(t, counters, 4000);
  deepEqual(
    [...flooded],
    [
      [200, 1000],
      [429, 3000],
    ],
  );
  deepEqual([theirLive, mine], [200, false]);
  equal(counters.state().ready, true);
});

test('a test key that floods a Cluster is denied, and other callers are not', {
  skip,
}, async (t) => {
  const cluster = await startRedisCluster();
  t.after(() => cluster.stop());
  const namesMax = 8000;
  const counters = await openOn(t, cluster.url, { namesMax, isCluster: true });
  const { flooded, theirLive, mine } = await attack(t, counters, 1600);
  const sizes = await Promise.all(cluster.nodes.map((node) => node.tell('DBSIZE')));
  const held = sizes.reduce<number>((sum, size) => sum + Number(size), 0);
  // The 64 extra keys leave room for the counters of the victim and of the live environment, the
  // number of counters per owner, and the heartbeat's key.
  ok(held <= namesMax + 64, `${held} keys`);
  ok((flooded.get(200) ?? 0) > 900, 'most of the quota is usable');
  ok((flooded.get(429) ?? 0) >= 600);
  deepEqual([theirLive, mine], [200, false]);
});

test("a test key that floods in-process counters cannot reset another workspace's limits", async () => {
  for (const limit of [1, 1000]) {
    const counters = createMemoryCounters({ nowMs: () => Date.now(), namesMax: 8000 });
    const run = lineOn(counters);
    const victim = randomUUID();
    const flooder = randomUUID();
    const limited = aCheck('live', [aRule('five', 5, 3_600_000)], { cost: 5 });
    for (const workspaceId of [victim, flooder]) await run(workspaceId, limited);
    let refusals = 0;
    for (let at = 0; at < 3000; at += 1) {
      await run(flooder, flooding(limit)).catch((error: unknown) => {
        ok(error instanceof ApiError && error.code === 'rate_limited');
        refusals += 1;
      });
    }
    for (const workspaceId of [victim, flooder]) {
      equal((await run(workspaceId, { ...limited, cost: 1 })).allowed, false);
    }
    equal(refusals, limit === 1 ? 2000 : 0);
    equal(counters.size() <= 8002, true);
  }
});

test('a workspace that floods one process gets 429s and does not affect other workspaces', async (t) => {
  const counters = createMemoryCounters({ nowMs: () => Date.now(), namesMax: 1600 });
  const { flooded, theirLive, mine } = await attack(t, counters, 300);
  deepEqual(
    [...flooded],
    [
      [200, 200],
      [429, 100],
    ],
  );
  deepEqual([theirLive, mine], [200, false]);
});

test('flooding Redis never resets the limit on sign-up attempts, even if Redis evicts keys', {
  skip,
}, async (t) => {
  const redis = await startRedis({ maxmemory: '4mb', 'maxmemory-policy': 'allkeys-random' });
  t.after(() => redis.stop());
  const counters = await openOn(t, redis.url, { namesMax: 1_000_000 });
  const now = new Date('2026-03-01T12:00:00Z');
  const throttle = createThrottle({ now: () => now, shiftMs: () => 0 }, counters);
  const guess = async () =>
    throttle.chargeSignUp('ada@example.com').then(
      () => true,
      () => false,
    );
  for (let n = 0; n < 10; n += 1) equal(await guess(), true);
  const run = lineOn(counters);
  const flooder = randomUUID();
  for (let round = 0; round < 40; round += 1) {
    await Promise.allSettled(Array.from({ length: 100 }, () => run(flooder, flooding(1))));
  }
  match(String(await redis.tell('INFO', 'stats')), /evicted_keys:[1-9]\d{4}/);
  equal(await guess(), false);
});
