// Nodes lease units and check limits concurrently. No interval ever exceeds its limit, on either
// store, no matter what is delayed or lost, or which node crashes. LEASE_SCHEDULES sets the number
// of schedules for each store.
import { ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Counters } from '@keyrail/server/volatile/counters.ts';
import { createMemoryCounters } from '@keyrail/server/volatile/memory.ts';
import { openRedisCounters } from '@keyrail/server/volatile/redis.ts';
import { type Chance, chanceOf, oneOf, upTo } from '@keyrail/testing/seeded-chance.ts';
import { patience, redisIsMissing, startRedis } from '@keyrail/testing/stores/redis.ts';
import type { RateLimitRule } from '../../packages/sdk/src/api/context.ts';
import {
  createWorld,
  type Node,
  rulesIn,
  type Spent,
  type Subject,
  startNode,
  type World,
} from './lease-world.ts';

const SCHEDULES = Number(process.env.LEASE_SCHEDULES ?? 100);
const AT_ONCE = 50;
const NODES_MAX = 4;
const MOMENTS = 60;

const EDGE_MS = 60;

/**
 * A random moment, or one near the end of a bucket, where a lease that stayed valid for too long
 * would be noticed.
 */
function momentIn(
  { chance, nowMs }: World,
  rules: readonly RateLimitRule[],
  spanMs: number,
): number {
  const inMs = chance() * spanMs;
  if (chance() < 0.4) return inMs;
  const { algorithm, windowMs } = oneOf(chance, rules);
  const widthMs = algorithm === 'fixed' ? windowMs : Math.ceil(windowMs / 16);
  // Simulated time starts at a multiple of every window's length.
  const edgeMs = Math.round((nowMs() + inMs) / widthMs) * widthMs - nowMs();
  return Math.max(0, edgeMs + (chance() - 0.5) * EDGE_MS);
}

/**
 * Plans bursts and pauses for several keys on several nodes, some of which crash and are replaced.
 */
function planTraffic(world: World, rules: readonly RateLimitRule[], seed: number): void {
  const { chance } = world;
  const keys = [1, 2]
    .slice(upTo(chance, 1))
    .map((at) => ({ keyId: `k${seed}-${at}`, tenantId: `t${seed}` }));
  const nodes: Node[] = Array.from({ length: 1 + upTo(chance, NODES_MAX - 1) }, () =>
    startNode(world),
  );
  const spanMs = oneOf(chance, [2_000, 8_000, 20_000]);
  for (let moment = 0; moment < MOMENTS; moment += 1) {
    world.after(momentIn(world, rules, spanMs), () => {
      const at = upTo(chance, nodes.length - 1);
      const node = nodes[at] as Node;
      const burst = oneOf(chance, [1, 1, 3, 10, 40]);
      const key = oneOf(chance, keys);
      for (let n = 0; n < burst; n += 1) node.request(key, rules, oneOf(chance, [1, 1, 1, 1, 3]));
      if (chance() > 0.03) return;
      node.crash();
      nodes[at] = startNode(world);
    });
  }
  world.after(spanMs, () => {
    for (const node of nodes) node.close();
  });
}

const subjectOf = ({ scope }: RateLimitRule, { keyId, tenantId }: Subject): string =>
  scope === 'key' ? keyId : tenantId;

/**
 * Asserts that the units spent never exceed the limit, in any interval that ends when a unit is
 * spent or, for a fixed window, in the window itself.
 */
function holdWithin(rule: RateLimitRule, spent: readonly Spent[], seed: number): void {
  const { algorithm, windowMs, limit } = rule;
  for (const own of Object.values(Object.groupBy(spent, (one) => subjectOf(rule, one)))) {
    const inOrder = (own ?? []).toSorted((one, other) => one.atMs - other.atMs);
    let first = 0;
    let units = 0;
    for (const last of inOrder) {
      units += last.units;
      // Simulated time starts at a multiple of every window's length.
      const beginsAfter = (one: Spent): boolean =>
        algorithm === 'fixed'
          ? Math.floor(one.atMs / windowMs) === Math.floor(last.atMs / windowMs)
          : one.atMs > last.atMs - windowMs;
      for (let one = inOrder[first]; one && !beginsAfter(one); one = inOrder[first]) {
        units -= one.units;
        first += 1;
      }
      ok(units <= limit, `seed ${seed}: ${units} of ${limit} in ${windowMs} ms (${algorithm})`);
    }
  }
}

type Sum = { spent: number; onLease: number; unused: number };

async function runSchedule(
  seed: number,
  storeOf: (chance: Chance) => (nowMs: number) => Counters,
): Promise<Sum> {
  const chance = chanceOf(seed + 9_000_000);
  const world = createWorld(chance, storeOf(chance));
  const rules = rulesIn(chance);
  planTraffic(world, rules, seed);
  await world.run();
  for (const rule of rules) holdWithin(rule, world.spent, seed);
  let spent = 0;
  let onLease = 0;
  for (const { units, isLeased } of world.spent) {
    spent += units;
    if (isLeased) onLease += units;
  }
  return { spent, onLease, unused: world.leased() - onLease };
}

async function runAll(
  t: TestContext,
  storeOf: (chance: Chance) => (nowMs: number) => Counters,
): Promise<void> {
  const sum: Sum = { spent: 0, onLease: 0, unused: 0 };
  for (let seed = 0; seed < SCHEDULES; seed += AT_ONCE) {
    const runs = Array.from({ length: AT_ONCE }, (_, at) => runSchedule(seed + at, storeOf));
    for (const { spent, onLease, unused } of await Promise.all(runs)) {
      sum.spent += spent;
      sum.onLease += onLease;
      sum.unused += unused;
    }
  }
  const { spent, onLease, unused } = sum;
  const share = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;
  t.diagnostic(
    `${SCHEDULES} schedules: ${spent} units spent, ${share(onLease, spent)} on lease; ` +
      `under-use: ${share(unused, spent + unused)} of what was charged was never spent`,
  );
  ok(onLease > spent / 10, 'few units were spent on lease');
  ok(unused >= 0, 'more was spent on lease than leased');
}

test('with leases in memory, no interval exceeds its limit', (t) =>
  runAll(t, () => {
    let nowMs = 0;
    const counters = createMemoryCounters({ nowMs: () => nowMs });
    return (atMs) => {
      nowMs = atMs;
      return counters;
    };
  }));

test('with leases on Redis, no interval exceeds its limit', {
  skip: redisIsMissing(),
}, async (t) => {
  const server = await startRedis();
  t.after(() => server.stop());
  let nowMs = 0;
  const counters = openRedisCounters({
    url: server.url,
    isCluster: false,
    onFault: () => {},
    nowMs: () => nowMs,
    ...patience,
  });
  t.after(() => counters.close());
  await counters.settled;
  await runAll(t, () => (atMs) => {
    nowMs = atMs; // the check reads this time synchronously, before any await
    return counters;
  });
});
