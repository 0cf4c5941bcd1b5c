// Processes that share their counters also share one throttle for password guessing. While the
// counters can't be reached, each process throttles on its own.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createThrottle, type Throttle } from '@keyrail/server/access/throttle.ts';
import { ApiError } from '@keyrail/server/base/errors.ts';
import { openRedisCounters } from '@keyrail/server/volatile/redis.ts';
import {
  patience,
  redisIsMissing,
  startRedis,
  startRedisCluster,
} from '@keyrail/testing/stores/redis.ts';

const skip = redisIsMissing();
const PER_EMAIL_MAX = 10;
const ADA = 'ada@example.com';
/** A stopped clock, so that the throttle's minute never ends during a test. */
const standing = { now: () => new Date('2026-03-01T12:00:00Z'), shiftMs: () => 0 };

/** One process's throttle. Its counters use the stopped clock, too. */
async function processOn(t: TestContext, url: string, isCluster = false): Promise<Throttle> {
  const nowMs = () => standing.now().getTime();
  const counters = openRedisCounters({ url, isCluster, nowMs, onFault: () => {}, ...patience });
  t.after(() => counters.close());
  await counters.settled;
  return createThrottle(standing, counters);
}

async function admits(attempt: Promise<void>): Promise<boolean> {
  try {
    await attempt;
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'rate_limited') return false;
    throw error;
  }
}

/** Returns how many of `attempts` attempts are allowed if they are spread across the processes. */
async function admitted(processes: readonly Throttle[], attempts: number): Promise<number> {
  let count = 0;
  for (let n = 0; n < attempts; n += 1) {
    const one = processes[n % processes.length];
    if (one && (await admits(one.chargeSignUp(ADA)))) count += 1;
  }
  return count;
}

test('processes share their counts of attempts, and Redis stores no email or IP address in plain text', {
  skip,
}, async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const processes = [await processOn(t, redis.url), await processOn(t, redis.url)];
  equal(await admitted(processes, 3 * PER_EMAIL_MAX), PER_EMAIL_MAX);
  const names = JSON.stringify(await redis.tell('KEYS', '*'));
  ok(names.includes('kr:throttle:'), names);
  ok(!/ada|192\.0\.2/.test(names), names);
});

test('while Redis is down, each process counts on its own, starting from its own earlier count', {
  skip,
}, async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const first = await processOn(t, redis.url);
  const second = await processOn(t, redis.url);
  equal(await admitted([first], 4), 4);
  await redis.crash();
  deepEqual(
    [await admitted([first], 2 * PER_EMAIL_MAX), await admitted([second], 2 * PER_EMAIL_MAX)],
    [PER_EMAIL_MAX - 4, PER_EMAIL_MAX],
  );
});

test('every process recognises a client that a user has signed in from', { skip }, async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const cluster = await startRedisCluster();
  t.after(() => cluster.stop());
  for (const [url, isCluster] of [[redis.url, false] as const, [cluster.url, true] as const]) {
    const here = await processOn(t, url, isCluster);
    const there = await processOn(t, url, isCluster);
    await (await here.chargeLogin('192.0.2.1', ADA)).succeeded();
    const isKnown = async (client: string) => (await there.chargeLogin(client, ADA)).isKnownClient;
    deepEqual([await isKnown('192.0.2.1'), await isKnown('192.0.2.2')], [true, false]);
  }
});

test('on a Cluster, attempts are counted as on a single server', { skip }, async (t) => {
  const cluster = await startRedisCluster();
  t.after(() => cluster.stop());
  const processes = [await processOn(t, cluster.url, true), await processOn(t, cluster.url, true)];
  equal(await admitted(processes, 3 * PER_EMAIL_MAX), PER_EMAIL_MAX);
});
