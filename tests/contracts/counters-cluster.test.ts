// Slots of a Redis Cluster move, and its connections break, during checks.

import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Rule } from '@keyrail/server/volatile/counters.ts';
import { openRedisCounters, type RedisCounters } from '@keyrail/server/volatile/redis.ts';
import { ownerOf } from '@keyrail/testing/counter-owners.ts';
import { openProxy } from '@keyrail/testing/processes/proxy.ts';
import {
  type RedisCluster,
  type RedisServer,
  redisIsMissing,
  startRedisCluster,
} from '@keyrail/testing/stores/redis.ts';
import { until } from '@keyrail/testing/until.ts';

const skip = redisIsMissing();
const _TOLD_MS_MAX = 20_000;
const _STEP_MS = 50;

async function newCluster(t: TestContext): Promise<RedisCluster & { masters: RedisServer[] }> {
  const cluster = await startRedisCluster();
  t.after(() => cluster.stop());
  return { ...cluster, masters: cluster.nodes };
}

async function countersOn(t: TestContext, url: string): Promise<RedisCounters> {
  const counters = openRedisCounters({ url, isCluster: true, onFault: () => {} });
  t.after(() => counters.close());
  await counters.settled;
  return counters;
}

const idOf = async (node: RedisServer): Promise<string> =>
  String(await node.tell('CLUSTER', 'MYID'));

/** A rule whose counter is in a slot of the second node, and that slot. */
async function ruleOnSecond(node: RedisServer, salt: string) {
  for (let at = 0; ; at += 1) {
    const name = `kr:rl:{${salt}${at}}`;
    const slot = Number(await node.tell('CLUSTER', 'KEYSLOT', name));
    if (slot < 5461 || slot > 10_921) continue;
    return { slot, rule: { name, limit: 9, windowMs: 2_678_400_000, algorithm: 'fixed' } as const };
  }
}

const usedOf = async (counters: RedisCounters, rule: Rule) =>
  (await counters.check(ownerOf([rule]), [rule], 0)).tallies[0]?.used;

test('a charge whose response was lost is not repeated', { skip }, async (t) => {
  const { url, masters } = await newCluster(t);
  const [first, second] = masters;
  ok(first && second);
  const wire = await openProxy(second.port);
  t.after(() => wire.close());
  await second.tell('CONFIG', 'SET', 'cluster-announce-port', String(wire.port));
  await until(async () => String(await first.tell('CLUSTER', 'NODES')).includes(`:${wire.port}@`));
  const counters = await countersOn(t, url);
  const { rule } = await ruleOnSecond(first, 'lost');
  equal((await counters.check(ownerOf([rule]), [rule], 1)).tallies[0]?.used, 1);

  wire.keepAnswers(true);
  const asked = counters.check(ownerOf([rule]), [rule], 1).catch(() => 'refused');
  await until(async () =>
    String(await second.tell('GETRANGE', rule.name, '8', '15')).startsWith('@'),
  );
  wire.keepAnswers(false);
  wire.leadTo(second.port);

  equal(await asked, 'refused');
  await until(() => usedOf(counters, rule).then(Boolean, () => false));
  equal(await usedOf(counters, rule), 2);
});

test('checks follow slots while they are moved and afterwards', { skip }, async (t) => {
  const { url, masters } = await newCluster(t);
  const [first, second, third] = masters;
  ok(first && second && third);
  const counters = await countersOn(t, url);
  const salts = ['a', 'b', 'c', 'd', 'e', 'f'];
  const found = await Promise.all(salts.map((salt) => ruleOnSecond(first, salt)));
  const stays = await ruleOnSecond(first, 'stays');
  const from = await idOf(second);
  const to = await idOf(third);
  const checkAll = async () => {
    const all = [stays, ...found].map(({ rule }) => counters.check(ownerOf([rule]), [rule], 1));
    return (await Promise.all(all)).map(({ tallies }) => tallies[0]?.used);
  };

  for (const { slot } of found) {
    await third.tell('CLUSTER', 'SETSLOT', String(slot), 'IMPORTING', from);
    await second.tell('CLUSTER', 'SETSLOT', String(slot), 'MIGRATING', to);
  }
  deepEqual(await checkAll(), [1, 1, 1, 1, 1, 1, 1]);

  for (const { slot } of found) {
    for (const node of [third, second, first]) {
      await node.tell('CLUSTER', 'SETSLOT', String(slot), 'NODE', to);
    }
  }
  deepEqual(await checkAll(), [2, 2, 2, 2, 2, 2, 2]);
});

test('every connection to a Cluster sends its password', { skip }, async (t) => {
  const { url, masters } = await newCluster(t);
  for (const node of masters) await node.tell('CONFIG', 'SET', 'requirepass', 'p@ss/word');
  const { port } = new URL(url);
  const counters = await countersOn(
    t,
    `redis://:${encodeURIComponent('p@ss/word')}@127.0.0.1:${port}`,
  );
  const limits = { limit: 1, windowMs: 3_600_000, algorithm: 'fixed' } as const;
  for (let at = 0; at < 20; at += 1) {
    const rules = [{ name: `kr:rl:{${at}}`, ...limits }];
    equal((await counters.check(ownerOf(rules), rules, 1)).allowed, true);
    equal((await counters.check(ownerOf(rules), rules, 1)).allowed, false);
  }
  const stranger = await countersOn(t, `redis://:wrong@127.0.0.1:${port}`);
  equal(stranger.state().ready, false);
});
