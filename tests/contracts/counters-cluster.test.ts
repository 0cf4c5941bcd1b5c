// A Redis Cluster's slots move, and its connections break, while checks are running.

import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Rule } from '@keyrail/server/volatile/counters.ts';
import { openRedisCounters, type RedisCounters } from '@keyrail/server/volatile/redis.ts';
import { ownerOf } from '@keyrail/testing/counter-owners.ts';
import { openProxy } from '@keyrail/testing/processes/proxy.ts';
import {
  patience,
  type RedisCluster,
  type RedisServer,
  redisIsMissing,
  startRedisCluster,
} from '@keyrail/testing/stores/redis.ts';
import { until } from '@keyrail/testing/until.ts';

const skip = redisIsMissing();

async function newCluster(
  t: TestContext,
  settings: Record<string, string> = {},
): Promise<RedisCluster & { masters: RedisServer[] }> {
  const cluster = await startRedisCluster(async () => settings);
  t.after(() => cluster.stop());
  return { ...cluster, masters: cluster.nodes };
}

async function countersOn(t: TestContext, url: string): Promise<RedisCounters> {
  const counters = openRedisCounters({ url, isCluster: true, onFault: () => {}, ...patience });
  t.after(() => counters.close());
  await counters.settled;
  return counters;
}

const idOf = async (node: RedisServer): Promise<string> =>
  String(await node.tell('CLUSTER', 'MYID'));

/** Returns a rule whose counter is stored on the node at `index`, and the slot of that counter. */
async function ruleOn(index: number, node: RedisServer, salt: string) {
  for (let at = 0; ; at += 1) {
    const name = `kr:rl:{${salt}${at}}`;
    const slot = Number(await node.tell('CLUSTER', 'KEYSLOT', name));
    if (slot < index * 5461 + 1 || slot > index * 5461 + 5460) continue;
    const limits = { limit: 9999, windowMs: 2_678_400_000, algorithm: 'fixed' } as const;
    return { slot, rule: { name, ...limits } };
  }
}

const ruleOnSecond = (node: RedisServer, salt: string) => ruleOn(1, node, salt);

const usedOf = async (counters: RedisCounters, rule: Rule) =>
  (await counters.check(ownerOf([rule]), [rule], 0)).tallies[0]?.used;

test('a charge is not repeated when its response is lost', { skip }, async (t) => {
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

test('checks keep their counts while slots move and afterwards', { skip }, async (t) => {
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

test('the server can start as long as one of the listed nodes responds', { skip }, async (t) => {
  const { masters } = await newCluster(t, { 'cluster-require-full-coverage': 'no' });
  const [first, second, third] = masters;
  ok(first && second && third);
  await first.crash();
  const hosts = [first, second].map(({ port }) => `127.0.0.1:${port}`);
  const counters = await countersOn(t, `redis://${hosts.join(',')}`);
  const { rule } = await ruleOn(2, second, 'start');
  await until(() =>
    usedOf(counters, rule).then(
      () => true,
      () => false,
    ),
  );
  equal((await counters.check(ownerOf([rule]), [rule], 1)).tallies[0]?.used, 1);
});

test('every connection to a Cluster authenticates with the password', { skip }, async (t) => {
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

/**
 * Asserts that checks are denied if their counters are on the faulty master, and that all other
 * checks succeed.
 */
async function holdsOnOthers(
  counters: RedisCounters,
  rules: readonly Rule[],
  reason: RegExp,
): Promise<void> {
  const [first, second, third] = rules;
  ok(first && second && third);
  const isRefused = (rule: Rule) =>
    counters.check(ownerOf([rule]), [rule], 1).then(
      () => false,
      () => true,
    );
  await until(() => isRefused(second));
  for (let at = 0; at < 100; at += 1) {
    const refused: boolean[] = await Promise.all(
      [second, first, second, third, second].map(isRefused),
    );
    deepEqual(refused, [true, false, true, false, true], `${at}`);
  }
  // Checks on the other masters still succeed after the heartbeat has detected the fault.
  await until(() => reason.test(counters.state().error ?? ''));
  for (let at = 0; at < 500; at += 1) {
    deepEqual([await isRefused(first), await isRefused(third)], [false, false], `${at}`);
  }
  equal(counters.state().ready, true);
}

for (const [fault, begin, end, reason] of [
  [
    'is out of memory',
    (node: RedisServer) => node.tell('CONFIG', 'SET', 'maxmemory', '1'),
    (node: RedisServer) => node.tell('CONFIG', 'SET', 'maxmemory', '0'),
    /^OOM$/,
  ],
  [
    'does not respond',
    async (node: RedisServer) => node.freeze(),
    async (node: RedisServer) => node.thaw(),
    /^(no response in time|not connected|failed|E[A-Z]+)$/,
  ],
  [
    'is down',
    (node: RedisServer) => node.crash(),
    (node: RedisServer) => node.restart(),
    /^(no response in time|not connected|failed|E[A-Z]+|CLUSTERDOWN)$/,
  ],
] as const) {
  test(`when one master ${fault}, checks on the others succeed`, { skip }, async (t) => {
    const { url, masters } = await newCluster(t, { 'cluster-require-full-coverage': 'no' });
    const [first, second] = masters;
    ok(first && second);
    const counters = await countersOn(t, url);
    const found = await Promise.all([0, 1, 2].map((index) => ruleOn(index, first, fault.slice(3))));
    const rules = found.map(({ rule }) => rule);
    await until(() => counters.state().ready && counters.state().error === null);
    await begin(second);
    try {
      await holdsOnOthers(counters, rules, reason);
    } finally {
      await end(second);
    }
    const isBack = (rule: Rule) =>
      usedOf(counters, rule).then(
        () => true,
        () => false,
      );
    await until(async () => (await Promise.all(rules.map(isBack))).every(Boolean));
  });
}
