// Runs the same random schedules of checks, leases and lease returns against both stores: every
// step must have the same result, and charges must never exceed a limit. COUNTER_SCHEDULES sets how
// many schedules run.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Counters, Rule } from '@keyrail/server/volatile/counters.ts';
import { createMemoryCounters } from '@keyrail/server/volatile/memory.ts';
import { openRedisCounters } from '@keyrail/server/volatile/redis.ts';
import { ownerOf } from '@keyrail/testing/counter-owners.ts';
import { type Chance, chanceOf, oneOf, upTo } from '@keyrail/testing/seeded-chance.ts';
import {
  patience,
  type RedisServer,
  redisIsMissing,
  startRedis,
} from '@keyrail/testing/stores/redis.ts';

const SCHEDULES = Number(process.env.COUNTER_SCHEDULES ?? 300);
const STEPS = 40;
const AT_ONCE = 50;
const START_MS = 1_800_000_000_000;
const skip = redisIsMissing();

let server: RedisServer;
before(async () => {
  if (!skip) server = await startRedis();
});
after(() => server?.stop());

function rulesOf(chance: Chance, seed: number): Rule[] {
  return Array.from({ length: 1 + upTo(chance, 2) }, (_, at) => ({
    name: `kr:leases/${seed}/${at}`,
    limit: oneOf(chance, [1, 7, 40, 1_000_000_000]),
    windowMs: oneOf(chance, [1000, 1600, 60_000]),
    algorithm: oneOf(chance, ['fixed', 'sliding'] as const),
  }));
}

type Call = (counters: Counters) => unknown;
type Known = { id: string; rules: Rule[] };

/**
 * A random call: a check, a lease or a lease return, sometimes with only some of the rules or for
 * an unknown lease.
 */
function callOf(
  chance: Chance,
  rules: Rule[],
  { leases, step }: { leases: Known[]; step: number },
) {
  const asked = chance() < 0.8 ? rules : rules.slice(0, 1 + upTo(chance, rules.length - 1));
  const owner = { ...ownerOf(rules), name: `${rules[0]?.name}` };
  const kind = oneOf(chance, ['check', 'lease', 'lease', 'return', 'return'] as const);
  if (kind === 'check') {
    const cost = oneOf(chance, [0, 1, 1, 3]);
    return { asked, call: (counters: Counters) => counters.check(owner, asked, cost) };
  }
  if (kind === 'lease') {
    const want = oneOf(chance, [1, 2, 5, 30, 10_000]);
    const call: Call = (counters) => counters.lease(owner, asked, { want, id: `l${step}` });
    return { asked, call };
  }
  const lease = leases[leases.length - 1 - upTo(chance, Math.min(3, leases.length))];
  const of = chance() < 0.8 && lease ? lease.rules : asked;
  const rest = { leaseId: lease?.id ?? 'invented.9', unused: oneOf(chance, [1, 1, 2, 5, 10_000]) };
  return { asked: of, call: (counters: Counters) => counters.giveBack(owner, of, rest) };
}

const moveOf = (chance: Chance, windowMs: number, nowMs: number): number => {
  const part = Math.ceil(windowMs / 16);
  const toEdge = part - (nowMs % part);
  return oneOf(chance, [
    0,
    0,
    0,
    1,
    toEdge - 1,
    toEdge,
    part,
    windowMs,
    upTo(chance, part),
    -1,
    -part,
  ]);
};

type Counts = { returned: number; kept: number };

async function runSchedule(seed: number, redisAt: (nowMs: number) => Counters): Promise<Counts> {
  const chance = chanceOf(seed + 7_000_000);
  const rules = rulesOf(chance, seed);
  let nowMs = START_MS + upTo(chance, 5000);
  const memory = createMemoryCounters({ nowMs: () => nowMs });
  const leases: Known[] = [];
  const counts = { returned: 0, kept: 0 };
  for (let step = 0; step < STEPS; step += 1) {
    nowMs += moveOf(chance, oneOf(chance, rules).windowMs, nowMs);
    const { asked, call } = callOf(chance, rules, { leases, step });
    const theirs = await call(redisAt(nowMs));
    const ours = call(memory);
    deepEqual(ours, theirs, `seed ${seed}, step ${step}`);
    if (typeof ours === 'number') counts[ours > 0 ? 'returned' : 'kept'] += 1;
    else if (typeof ours === 'object' && ours !== null && 'leaseId' in ours) {
      leases.push({ id: String(ours.leaseId), rules: asked });
    }
    const { tallies } = memory.check(ownerOf(rules), rules, 0);
    for (const [at, { used }] of tallies.entries()) {
      ok(used >= 0 && used <= (rules[at]?.limit ?? 0), `seed ${seed}, step ${step}: ${used}`);
    }
  }
  return counts;
}

test('checks, leases and returns have the same results on both stores', { skip }, async (t) => {
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
  const redisAt = (atMs: number): Counters => {
    nowMs = atMs; // the call reads this time synchronously, before any await
    return counters;
  };
  let returned = 0;
  let kept = 0;
  for (let seed = 0; seed < SCHEDULES; seed += AT_ONCE) {
    const runs = Array.from({ length: AT_ONCE }, (_, at) => runSchedule(seed + at, redisAt));
    for (const counts of await Promise.all(runs)) {
      returned += counts.returned;
      kept += counts.kept;
    }
  }
  ok(returned > SCHEDULES && kept > SCHEDULES, `${returned} returned, ${kept} refused`);
});

test('a lease is charged like a check of the same cost', () => {
  for (let seed = 0; seed < 500; seed += 1) {
    const chance = chanceOf(seed + 8_000_000);
    const rules = rulesOf(chance, seed);
    let nowMs = START_MS;
    const byCheck = createMemoryCounters({ nowMs: () => nowMs });
    const byLease = createMemoryCounters({ nowMs: () => nowMs });
    for (let step = 0; step < STEPS; step += 1) {
      nowMs += moveOf(chance, oneOf(chance, rules).windowMs, nowMs);
      const want = oneOf(chance, [1, 3, 20]);
      const { granted, tallies } = byLease.lease(ownerOf(rules), rules, { want, id: `l${step}` });
      const rest = byCheck
        .check(ownerOf(rules), rules, 0)
        .tallies.map(({ used }, at) => (rules[at]?.limit ?? 0) - used);
      equal(granted, Math.min(want, ...rest), `seed ${seed}, step ${step}`);
      const checked = byCheck.check(ownerOf(rules), rules, granted);
      deepEqual(
        tallies.map(({ used, resetMs }) => [used, resetMs]),
        checked.tallies.map(({ used, resetMs }) => [used, resetMs]),
      );
    }
  }
});
