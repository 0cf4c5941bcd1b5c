// Redis dies, freezes, loses its data, becomes a replica or is kept busy. Checks are denied within
// half a second, nothing else is affected, the probes report the fault, and the server recovers on
// its own.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRedisCounters } from '@keyrail/server/volatile/redis.ts';
import {
  type Answer,
  ask,
  codeOf,
  type Harness,
  harness,
  type Input,
} from '@keyrail/testing/harness.ts';
import { openProxy } from '@keyrail/testing/processes/proxy.ts';
import { appBeside, type Beside } from '@keyrail/testing/second-app.ts';
import {
  patience,
  type RedisServer,
  redisIsMissing,
  startRedis,
  startRedisCluster,
} from '@keyrail/testing/stores/redis.ts';
import { newScope } from '../laws/hot-fixtures.ts';

const skip = redisIsMissing();
const CHECK = 'POST /v1/ratelimit/check';
const HEALED_MS_MAX = 60_000;
/**
 * What /status reports about the other components. No worker is running, and backups are not
 * configured.
 */
const OTHERS = { api: 'ok', database: 'ok', worker: 'unknown', backup: 'not_configured' };
const CLUSTER_HEALED_MS_MAX = 60_000;
/** The longest time that a command keeps Redis busy. */
const SLEEP_S_MAX = 30;

const aCheck = (more: Input = {}): Input => ({
  project_id: randomUUID(),
  env: 'live',
  key_id: randomUUID(),
  limits: [{ id: 'r', limit: 1000, window_ms: 60_000, algorithm: 'sliding', scope: 'key' }],
  ...more,
});

type Scene = { app: Harness; beside: Beside; check(input?: Input): Promise<Answer> };

async function scene(t: TestContext, url: string, isCluster = false): Promise<Scene> {
  const app = await harness(t);
  const counters = openRedisCounters({ url, isCluster, onFault: () => {} });
  await counters.settled;
  const beside = appBeside(t, app.testApp, { counters, hotAuthMs: 60_000 });
  const headers = { authorization: `Bearer ${app.tokens.liveKey}` };
  return {
    app,
    beside,
    check: (input = aCheck()) => ask(beside, CHECK, { input, headers }),
  };
}

async function newRedis(t: TestContext): Promise<RedisServer> {
  const server = await startRedis();
  t.after(() => server.stop());
  return server;
}

const redisIn = ({ body }: Answer) => body.redis as { ready: boolean; error: string | null };
const probe = ({ beside }: Scene, line: 'GET /healthz' | 'GET /readyz' | 'GET /status') =>
  ask(beside, line, { input: {}, headers: {} });

function holdsRefused(answer: Answer): void {
  equal(`${answer.status} ${codeOf(answer)}`, '503 unavailable');
  equal(answer.headers['retry-after'], '1');
}

async function healed(one: Scene): Promise<void> {
  const deadline = performance.now() + HEALED_MS_MAX;
  for (;;) {
    const answer = await one.check();
    if (answer.status === 200) break;
    ok(performance.now() < deadline, 'Redis did not recover');
    await sleep(20);
  }
  deepEqual(redisIn(await probe(one, 'GET /healthz')), {
    configured: true,
    ready: true,
    error: null,
  });
}

/**
 * Asserts that while Redis is down, checks are denied in time, probes report it, and everything
 * else works.
 */
async function holdsWhileAway(one: Scene, error: RegExp): Promise<void> {
  for (const answer of await Promise.all(Array.from({ length: 30 }, () => one.check()))) {
    holdsRefused(answer);
  }
  const deadline = performance.now() + HEALED_MS_MAX;
  while (redisIn(await probe(one, 'GET /healthz')).ready && performance.now() < deadline) {
    await sleep(20);
  }
  holdsRefused(await one.check());
  for (const line of ['GET /healthz', 'GET /readyz'] as const) {
    const answer = await probe(one, line);
    equal(answer.status, 200, line);
    equal(redisIn(answer).ready, false, line);
    match(String(redisIn(answer).error), error, line);
  }
  const { components, status } = (await probe(one, 'GET /status')).body;
  deepEqual(components, { ...OTHERS, redis: 'down' });
  equal(status, 'down');
  const call = one.beside.as(one.app.tokens.liveKey);
  const scope = { scope_hash: newScope(), fingerprint: newScope(), env: 'live' };
  equal((await call('POST /v1/idempotency/claim', scope)).state, 'execute');
  await call('GET /v1/workspace');
}

test('checks recover after Redis is killed and restarted', { skip }, async (t) => {
  const server = await newRedis(t);
  const one = await scene(t, server.url);
  equal((await one.check()).body.store, 'redis');
  equal((await probe(one, 'GET /status')).body.status, 'ok');
  await server.crash();
  await holdsWhileAway(one, /^(ECONNREFUSED|ECONNRESET|EPIPE|not connected)$/);
  await server.restart();
  await healed(one);
});

test('checks recover if Redis is down when the server starts and comes up later', {
  skip,
}, async (t) => {
  const server = await newRedis(t);
  await server.crash();
  const one = await scene(t, server.url);
  await holdsWhileAway(one, /^(ECONNREFUSED|not connected)$/);
  await server.restart();
  await healed(one);
});

test('no error is reported if Redis is slow to connect, but does', {
  skip,
}, async (t) => {
  const server = await newRedis(t);
  const wire = await openProxy(server.port);
  t.after(() => wire.close());
  wire.delayAnswers(800); // longer than the time between two heartbeats
  const url = `redis://127.0.0.1:${wire.port}`;
  const counters = openRedisCounters({ url, isCluster: false, onFault: () => {}, ...patience });
  t.after(() => counters.close());
  await counters.settled;
  equal(counters.state().error, null);
});

test('checks recover after Redis freezes, briefly or for a long time', { skip }, async (t) => {
  const server = await newRedis(t);
  const one = await scene(t, server.url);
  equal((await one.check()).status, 200);
  for (const frozenMs of [0, 3000]) {
    server.freeze();
    try {
      await holdsWhileAway(one, /^(no response in time|not connected|failed|E[A-Z]+)$/);
      const until = performance.now() + frozenMs;
      while (performance.now() < until) {
        holdsRefused(await one.check());
        await sleep(50);
      }
    } finally {
      server.thaw();
    }
    await healed(one);
  }
});

test('checks are still allowed when Redis loses its scripts and counters', { skip }, async (t) => {
  const server = await newRedis(t);
  const one = await scene(t, server.url);
  const input = aCheck();
  const left = async () => {
    const answer = await one.check(input);
    equal(answer.status, 200);
    return (answer.body.policies as { remaining: number }[])[0]?.remaining;
  };
  equal(await left(), 999);
  await server.tell('SCRIPT', 'FLUSH');
  equal(await left(), 998);
  await server.tell('FLUSHALL');
  equal(await left(), 999);
});

test('checks recover when Redis becomes a replica and then the master again', {
  skip,
}, async (t) => {
  const server = await newRedis(t);
  const other = await newRedis(t);
  const one = await scene(t, server.url);
  equal((await one.check()).status, 200);
  await server.tell('REPLICAOF', '127.0.0.1', String(other.port));
  await holdsWhileAway(one, /^(READONLY|not connected|LOADING|MASTERDOWN)$/);
  await server.tell('REPLICAOF', 'NO', 'ONE');
  await healed(one);
});

test('checks recover after a slow command has kept Redis busy', { skip }, async (t) => {
  const server = await newRedis(t);
  const one = await scene(t, server.url);
  equal((await one.check()).status, 200);
  // On a slow machine, Redis may respond again before everything has been checked. In that case,
  // the test tries again with a longer command.
  for (let seconds = 4; ; seconds *= 2) {
    const startedAt = performance.now();
    const busy = server.tell('DEBUG', 'SLEEP', String(seconds)).catch(() => {});
    const isOver = () => performance.now() - startedAt > seconds * 1000;
    while ((await one.check()).status === 200 && !isOver()) await sleep(20);
    const fault = await holdsWhileAway(
      one,
      /^(no response in time|not connected|failed|E[A-Z]+)$/,
    ).catch((error: unknown) => error);
    const wasOver = isOver();
    await busy;
    await healed(one);
    if (fault === undefined) break;
    if (!wasOver || seconds > SLEEP_S_MAX) throw fault;
  }
});

test('with a Redis that evicts keys, checks work and the status is degraded', {
  skip,
}, async (t) => {
  const server = await startRedis({ maxmemory: '100mb', 'maxmemory-policy': 'allkeys-lru' });
  t.after(() => server.stop());
  const one = await scene(t, server.url);
  equal((await one.check()).status, 200);
  const { components } = (await probe(one, 'GET /status')).body;
  deepEqual(components, { ...OTHERS, redis: 'degraded' });
  deepEqual(redisIn(await probe(one, 'GET /readyz')), {
    configured: true,
    ready: true,
    error: 'maxmemory-policy is allkeys-lru',
  });
});

test('a Redis with a memory limit but no eviction is healthy', { skip }, async (t) => {
  const server = await startRedis({ maxmemory: '100mb', 'maxmemory-policy': 'noeviction' });
  t.after(() => server.stop());
  const { error } = redisIn(await probe(await scene(t, server.url), 'GET /readyz'));
  equal(error, null);
});

test('a wrong password is reported, but the password itself is not', { skip }, async (t) => {
  const server = await startRedis({ requirepass: 'the-right-one' });
  t.after(() => server.stop());
  const one = await scene(t, server.url.replace('redis://', 'redis://:the-wrong-one@'));
  holdsRefused(await one.check());
  const text = (await probe(one, 'GET /healthz')).text;
  equal(text.includes('wrong-one'), false);
  match(
    String(redisIn(await probe(one, 'GET /healthz')).error),
    /^(WRONGPASS|NOAUTH|not connected)$/,
  );
});

test('checks recover after a Cluster node is killed and restarted', { skip }, async (t) => {
  const cluster = await startRedisCluster();
  t.after(() => cluster.stop());
  const one = await scene(t, cluster.url, true);
  await healed(one);
  const [, second] = cluster.nodes;
  await second?.crash();
  let refusals = 0;
  for (let at = 0; at < 40; at += 1) {
    const answer = await one.check(aCheck({ tenant_id: randomUUID() }));
    if (answer.status === 200) continue;
    holdsRefused(answer);
    refusals += 1;
  }
  ok(refusals > 0, 'no counter was on the crashed node');
  await second?.restart();
  // Checks every slot, including those of the node that went down.
  const deadline = performance.now() + CLUSTER_HEALED_MS_MAX;
  for (let inARow = 0; inARow < 40; ) {
    const answer = await one.check(aCheck({ tenant_id: randomUUID() }));
    inARow = answer.status === 200 ? inARow + 1 : 0;
    ok(performance.now() < deadline, 'the Cluster did not recover');
    if (inARow === 0) await sleep(50);
  }
});

test('checks recover when the master dies and its host name moves to the promoted replica', {
  skip,
}, async (t) => {
  const master = await newRedis(t);
  const replica = await newRedis(t);
  await replica.tell('REPLICAOF', '127.0.0.1', String(master.port));
  const wire = await openProxy(master.port);
  t.after(() => wire.close());
  const one = await scene(t, `redis://127.0.0.1:${wire.port}`);
  const input = aCheck();
  equal((await one.check(input)).status, 200);
  const deadline = performance.now() + HEALED_MS_MAX;
  while (Number(await replica.tell('DBSIZE')) < 2) {
    ok(performance.now() < deadline, 'the replica never received the counter');
    await sleep(20);
  }
  await master.crash();
  await holdsWhileAway(one, /^(ECONNREFUSED|ECONNRESET|EPIPE|not connected|failed)$/);
  await replica.tell('REPLICAOF', 'NO', 'ONE');
  wire.leadTo(replica.port);
  await healed(one);
  const answer = await one.check({ ...input, cost: 0 });
  equal(
    (answer.body.policies as { remaining: number }[])[0]?.remaining,
    999,
    'the counter survived',
  );
});

test('checks recover when the master is demoted and its host name moves to another server', {
  skip,
}, async (t) => {
  const master = await newRedis(t);
  const other = await newRedis(t);
  const wire = await openProxy(master.port);
  t.after(() => wire.close());
  const one = await scene(t, `redis://127.0.0.1:${wire.port}`);
  equal((await one.check()).status, 200);
  wire.leadNextTo(other.port);
  await master.tell('REPLICAOF', '127.0.0.1', String(other.port));
  await healed(one);
});
