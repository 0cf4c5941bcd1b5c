// A nearly full Redis is reported before it rejects writes, both by the probes and in the log, with
// one line each time it happens.

import { deepEqual, equal } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { systemClock } from '@keyrail/server/base/clock.ts';
import { openLog } from '@keyrail/server/base/log.ts';
import { Secret } from '@keyrail/server/base/secret.ts';
import { openCounters } from '@keyrail/server/commands/stores.ts';
import { remarkOn } from '@keyrail/server/volatile/redis-memory.ts';
import { ask, harness } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { redisIsMissing, startRedis, startRedisCluster } from '@keyrail/testing/stores/redis.ts';
import { until } from '@keyrail/testing/until.ts';

const skip = redisIsMissing();
const MEBIBYTE = 1_048_576;
const NEAR = 'used_memory is near maxmemory';

const wanted = (url: string, redisCluster = false) => ({
  redisUrl: new Secret(url),
  redisCluster,
  countersMax: 1000,
  redisCountersMax: 1000,
});

test('a Redis near its maxmemory is reported as degraded, is logged once, and recovers', {
  skip,
}, async (t) => {
  const redis = await startRedis({ maxmemory: '100mb', 'maxmemory-policy': 'noeviction' });
  t.after(() => redis.stop());
  const lines: string[] = [];
  const out = new Writable({
    write: (chunk, _, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const log = openLog('info', out);
  const counters = await openCounters(wanted(redis.url), systemClock, log);
  const app = await harness(t);
  const beside = appBeside(t, app.testApp, { counters });
  const status = async () => {
    const { body } = await ask(beside, 'GET /status', { input: {}, headers: {} });
    return (body.components as { redis: string }).redis;
  };
  const check = () =>
    beside.as(app.tokens.liveKey)('POST /v1/ratelimit/check', {
      project_id: randomUUID(),
      env: 'live',
      key_id: randomUUID(),
      limits: [{ id: 'r', limit: 9, window_ms: 60_000, algorithm: 'fixed', scope: 'key' }],
    });
  equal(await status(), 'ok');
  await redis.tell('SETRANGE', 'filler', String(76 * MEBIBYTE), 'x');
  await until(async () => (await status()) === 'degraded');
  equal((await check()).allowed, true, 'no check is denied yet');
  deepEqual(counters.state(), { configured: true, ready: true, error: NEAR });
  // After several more probes, there is still only one line in the log.
  const looks = async () => Number(/cmdstat_set:calls=(\d+)/.exec(await commandsOf())?.[1]);
  const before = await looks();
  await until(async () => (await looks()) > before + 3);
  await redis.tell('DEL', 'filler');
  await until(async () => (await status()) === 'ok');
  const told = lines.filter((line) => /maxmemory|free memory/.test(line));
  deepEqual(
    told.map((line) => JSON.parse(line).level),
    ['warn', 'info'],
    lines.join(''),
  );
  async function commandsOf(): Promise<string> {
    return String(await redis.tell('INFO', 'commandstats'));
  }
});

test('one Cluster node near its maxmemory makes the whole Cluster count as degraded', {
  skip,
}, async (t) => {
  const cluster = await startRedisCluster(async () => ({ maxmemory: '10mb' }));
  t.after(() => cluster.stop());
  const log = openLog('silent', process.stdout);
  const counters = await openCounters(wanted(cluster.url, true), systemClock, log);
  t.after(() => counters.close());
  await until(() => counters.state().ready);
  equal(counters.state().error, null);
  const [, , third] = cluster.nodes;
  const used = /used_memory:(\d+)/.exec(String(await third?.tell('INFO', 'memory')))?.[1];
  await third?.tell('CONFIG', 'SET', 'maxmemory', String(Math.round(Number(used) * 1.12)));
  await until(() => counters.state().error === NEAR);
});

const memoryOf = (used: number, most = 1000, more = '') =>
  `# Memory\r\nused_memory:${used}\r\nmaxmemory:${most}\r\n${more}`;

test('a Redis server counts as nearly full once 80% of its memory is used, until it drops below 75%', () => {
  const steps: [number, string | null][] = [
    [799, null],
    [800, NEAR],
    [799, NEAR],
    [750, NEAR],
    [749, null],
    [799, null],
  ];
  let remark: string | null = null;
  for (const [used, expected] of steps) {
    remark = remarkOn([memoryOf(0), memoryOf(used)], remark);
    equal(remark, expected, `${used}`);
  }
  equal(remarkOn([memoryOf(999, 0)], null), null, 'without a maximum, it is never near full');
  equal(remarkOn([memoryOf(900, 1000, 'mem_not_counted_for_evict:200\r\n')], null), null);
  const evicting = memoryOf(999, 1000, 'maxmemory_policy:allkeys-lru\r\n');
  equal(remarkOn([evicting], null), 'maxmemory-policy is allkeys-lru');
});
