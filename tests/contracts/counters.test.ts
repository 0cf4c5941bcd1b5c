// Counter contract, for each store: in the process, on a single Redis (over TCP and its Unix
// socket), and on a Redis Cluster.

import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ratelimitEndpoints } from '@keyrail/protocol/endpoints/ratelimit.ts';
import { ratelimitRoutes } from '@keyrail/server/features/ratelimit/routes.ts';
import type { Counters, Rule } from '@keyrail/server/volatile/counters.ts';
import { createMemoryCounters } from '@keyrail/server/volatile/memory.ts';
import { openRedisCounters } from '@keyrail/server/volatile/redis.ts';
import { ownerOf } from '@keyrail/testing/counter-owners.ts';
import {
  patience,
  redisIsMissing,
  startRedis,
  startRedisCluster,
} from '@keyrail/testing/stores/redis.ts';

const skip = redisIsMissing();
const opened: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of opened.toReversed()) await close();
});

async function openOn(url: string, isCluster: boolean): Promise<Counters> {
  const counters = openRedisCounters({ url, isCluster, onFault: () => {}, ...patience });
  opened.push(counters.close);
  while (!counters.state().ready) await sleep(20);
  return counters;
}

const shared = <T>(open: () => Promise<T>): (() => Promise<T>) => {
  let once: Promise<T> | undefined;
  return () => {
    once ??= open();
    return once;
  };
};

const oneRedis = shared(async () => {
  const server = await startRedis();
  opened.push(server.stop);
  return server;
});

const cluster = shared(async () => {
  const servers = await startRedisCluster();
  opened.push(servers.stop);
  return servers;
});

const stores: Record<string, { skip: string | false; open(): Promise<Counters> }> = {
  'inside the process': {
    skip: false,
    open: async () => createMemoryCounters({ nowMs: () => Date.now() }),
  },
  'on Redis': { skip, open: shared(async () => openOn((await oneRedis()).url, false)) },
  'on Redis over its socket': {
    skip,
    open: shared(async () => openOn((await oneRedis()).socketUrl, false)),
  },
  'on a Redis Cluster': { skip, open: shared(async () => openOn((await cluster()).url, true)) },
};

type Body = Record<string, unknown>;

/** Calls the endpoint directly, with counters but without a database. */
async function check(counters: Counters, workspaceId: string, body: Body): Promise<Body> {
  const route = ratelimitRoutes.find(({ line }) => line === CHECK);
  const parsed = ratelimitEndpoints[CHECK].body.parse({
    project_id: PROJECT,
    env: 'live',
    ...body,
  });
  return (await route?.run({ counters, reach: { workspaceId }, body: parsed })) as Body;
}

const CHECK = 'POST /v1/ratelimit/check';
const PROJECT = randomUUID();

const rule = (id: string, more: Body = {}): Body => ({
  id,
  limit: 3,
  window_ms: 600_000,
  algorithm: 'sliding',
  scope: 'key',
  ...more,
});

const remainingIn = ({ policies }: Body): number[] =>
  (policies as { remaining: number }[]).map(({ remaining }) => remaining);

for (const [where, { skip: why, open }] of Object.entries(stores)) {
  test(`of 200 concurrent checks, exactly as many succeed as the limit allows, ${where}`, {
    skip: why,
  }, async () => {
    const counters = await open();
    for (const algorithm of ['fixed', 'sliding'] as const) {
      const rules: Rule[] = [
        { name: `kr:{${where}}${randomUUID()}`, limit: 37, windowMs: 3_600_000, algorithm },
        { name: `kr:{${where}}${randomUUID()}`, limit: 500, windowMs: 3_600_000, algorithm },
      ];
      const verdicts = await Promise.all(
        Array.from({ length: 200 }, async () => counters.check(ownerOf(rules), rules, 1)),
      );
      equal(verdicts.filter(({ allowed }) => allowed).length, 37);
      deepEqual(
        (await counters.check(ownerOf(rules), rules, 0)).tallies.map(({ used }) => used),
        [37, 37],
      );
    }
  });

  test(`key rules and tenant rules are charged together or not at all, ${where}`, {
    skip: why,
  }, async () => {
    const counters = await open();
    const workspaceId = randomUUID();
    for (let at = 0; at < 20; at += 1) {
      // Uses different tenants and keys each time, so that on a Cluster they cover all nodes.
      const subject = { key_id: randomUUID(), tenant_id: randomUUID() };
      const limits = [rule('wide', { limit: 9 }), rule('narrow', { limit: 1, scope: 'tenant' })];
      const first = await check(counters, workspaceId, { ...subject, limits });
      deepEqual([first.allowed, remainingIn(first)], [true, [8, 0]]);
      const other = { ...subject, key_id: randomUUID(), limits };
      const denied = await check(counters, workspaceId, other);
      deepEqual([denied.allowed, denied.limited_policy], [false, 'narrow']);
      deepEqual(remainingIn(denied), [9, 0]);
      ok(Number(denied.retry_after_seconds) > 590);
      equal(denied.store, counters.store);
    }
  });

  test(`concurrent checks on many subjects are independent, ${where}`, {
    skip: why,
  }, async () => {
    const counters = await open();
    const workspaceId = randomUUID();
    const subjects = Array.from({ length: 30 }, () => randomUUID());
    const limits = [rule('one', { limit: 1 }), rule('all', { scope: 'tenant' })];
    for (const expected of [true, false]) {
      const asked = subjects.map((id) => ({ key_id: id, tenant_id: id, limits }));
      const answers = await Promise.all(asked.map((body) => check(counters, workspaceId, body)));
      for (const { allowed } of answers) equal(allowed, expected);
    }
  });

  test(`a check without a subject counts against the limit of the whole project, ${where}`, {
    skip: why,
  }, async () => {
    const counters = await open();
    const workspaceId = randomUUID();
    const of = async (scope: string, subject: Body) =>
      remainingIn(
        await check(counters, workspaceId, { ...subject, limits: [rule('r', { scope })] }),
      );
    deepEqual(await of('tenant', { key_id: randomUUID() }), [2]);
    deepEqual(await of('tenant', { key_id: randomUUID() }), [1]);
    deepEqual(await of('tenant', {}), [0]);
    deepEqual(await of('key', {}), [2]);
    deepEqual(await of('key', {}), [1]);
    deepEqual(await of('key', { env: 'test' }), [2]);
  });

  test(`workspaces, environments and projects do not share counters, ${where}`, {
    skip: why,
  }, async () => {
    const counters = await open();
    const key_id = randomUUID();
    const limits = [rule('one', { limit: 1 })];
    const seen: unknown[] = [];
    for (const workspaceId of [randomUUID(), randomUUID()]) {
      for (const env of ['live', 'test']) {
        for (const project_id of [randomUUID(), PROJECT]) {
          const body = { key_id, env, project_id, limits };
          seen.push((await check(counters, workspaceId, body)).allowed);
        }
      }
    }
    deepEqual(seen, new Array(8).fill(true));
  });

  test(`a charge expires with its window, according to the store's clock, ${where}`, {
    skip: why,
  }, async () => {
    const counters = await open();
    for (const algorithm of ['fixed', 'sliding'] as const) {
      const name = `kr:{${where}}${randomUUID()}`;
      const rules: Rule[] = [{ name, limit: 1, windowMs: 1000, algorithm }];
      const first = await counters.check(ownerOf(rules), rules, 1);
      const [before] = first.tallies;
      ok(before && before.resetMs > 0 && before.resetMs <= 1071);
      await sleep(before.resetMs + 30);
      deepEqual((await counters.check(ownerOf(rules), rules, 0)).tallies, [
        { used: 0, resetMs: 0, waitMs: 0 },
      ]);
      equal((await counters.check(ownerOf(rules), rules, 1)).allowed, true);
    }
  });
}

test('counters in Redis expire with their window', { skip }, async () => {
  const server = await oneRedis();
  const counters = await openOn(server.url, false);
  const name = `kr:kept/${randomUUID()}`;
  const rules: Rule[] = [{ name, limit: 9, windowMs: 60_000, algorithm: 'sliding' }];
  await counters.check(ownerOf(rules), rules, 1);
  const keptMs = Number(await server.tell('PTTL', name));
  ok(keptMs > 59_000 && keptMs <= 63_750, `${keptMs}`);
});

test("the counters use Redis's clock, to the millisecond", { skip }, async () => {
  const server = await oneRedis();
  const counters = await openOn(server.url, false);
  const windowMs = 3_600_000;
  const clockMs = async () => {
    const [seconds, micros] = (await server.tell('TIME')) as [string, string];
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  };
  const name = `kr:time/${randomUUID()}`;
  const beforeMs = await clockMs();
  const rules: Rule[] = [{ name, limit: 9, windowMs, algorithm: 'fixed' }];
  const { tallies } = await counters.check(ownerOf(rules), rules, 1);
  const resetMs = tallies[0]?.resetMs ?? 0;
  const early = beforeMs + resetMs;
  const late = (await clockMs()) + resetMs;
  ok(Math.floor(late / windowMs) * windowMs >= early, 'no window ends between the two');
});
