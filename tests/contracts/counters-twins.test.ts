// Both counter stores implement the same algorithm, so each step of a schedule has the same result
// on both. A failure prints the seed that reproduces it.
import { deepEqual, ok } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApiError } from '@keyrail/server/base/errors.ts';
import type { Counters, Rule, Verdict } from '@keyrail/server/volatile/counters.ts';
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
import { rulesOf, SCHEDULES, START_MS } from './counter-schedules.ts';

const STEPS_MAX = 24;
const AT_ONCE = 50;
/**
 * The in-process store keeps expired counters for a minute, in case the clock is set back by less.
 */
const BACK_MS_MAX = 59_000;
const skip = redisIsMissing();

let server: RedisServer;
before(async () => {
  if (!skip) server = await startRedis();
});
after(() => server?.stop());

type Step = { nowMs: number; cost: number; rules: Rule[] };

/**
 * Moves the clock in ways that matter: not at all, within a bucket, to its edge, past the window,
 * or back.
 */
function stepsOf(chance: Chance, schedule: string): Step[] {
  const rules = rulesOf(chance, schedule);
  let nowMs = START_MS + upTo(chance, 5000);
  let latestMs = nowMs;
  return Array.from({ length: 1 + upTo(chance, STEPS_MAX - 1) }, () => {
    const windowMs = oneOf(chance, rules).windowMs;
    const part = Math.ceil(windowMs / 16);
    const toEdge = part - (nowMs % part);
    const move = oneOf(chance, [
      0,
      0,
      1,
      toEdge - 1,
      toEdge,
      part,
      windowMs - 1,
      windowMs,
      windowMs + 1,
      windowMs * 2,
      upTo(chance, windowMs),
      upTo(chance, part),
      -1,
      -part,
      -windowMs * 3,
    ]);
    nowMs = Math.max(nowMs + move, latestMs - BACK_MS_MAX);
    latestMs = Math.max(nowMs, latestMs);
    const cost = oneOf(chance, [0, 1, 1, 1, 1, 2, 3, 7, 1000]);
    const asked = chance() < 0.8 ? rules : rules.slice(0, 1 + upTo(chance, rules.length - 1));
    return { nowMs, cost, rules: asked };
  });
}

/** Sends some steps together in one script call. The script must process them in order. */
async function runTwins(seed: number): Promise<void> {
  const chance = chanceOf(seed);
  const steps = stepsOf(chance, `s${seed}`);
  let nowMs = 0;
  const memory = createMemoryCounters({ nowMs: () => nowMs });
  while (steps.length > 0) {
    const together = steps.splice(0, oneOf(chance, [1, 1, 2, 5]));
    const asked = together.map(({ nowMs: at, rules, cost }) =>
      redisAt(at).check(ownerOf(rules), rules, cost),
    );
    const theirs = await Promise.all(asked);
    for (const [at, step] of together.entries()) {
      nowMs = step.nowMs;
      const ours = memory.check(ownerOf(step.rules), step.rules, step.cost);
      deepEqual(
        ours,
        theirs[at],
        `seed ${seed}, with ${steps.length} left: ${JSON.stringify(step)}`,
      );
    }
  }
}

/** All schedules share one connection; each sets its own time. */
let shared: { counters: Counters; nowMs: number } | undefined;

function redisAt(nowMs: number): Counters {
  if (!shared) throw new Error('the counters are not open');
  shared.nowMs = nowMs; // the check reads this time synchronously, before any await
  return shared.counters;
}

async function withRedis(run: () => Promise<void>): Promise<void> {
  const held = { nowMs: 0 };
  const counters = openRedisCounters({
    url: server.url,
    isCluster: false,
    onFault: () => {},
    nowMs: () => held.nowMs,
    ...patience,
  });
  await counters.settled;
  shared = Object.assign(held, { counters });
  try {
    await run();
  } finally {
    await counters.close();
  }
}

test('both stores give the same result at every step of every schedule', { skip }, () =>
  withRedis(async () => {
    for (let seed = 0; seed < SCHEDULES; seed += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => runTwins(seed + at)));
    }
  }),
);

const QUOTA = 5;
const NAMES = 9;
/**
 * How long a counter may still exist after its window, as a fraction of the window: just over 1/16.
 */
const LATE_SHARE = 0.07;

/** A single charge takes each counter to its limit, so the in-process store can't evict any. */
async function runTwinsAtQuota(seed: number): Promise<number> {
  const chance = chanceOf(seed + 3_000_000);
  const windowMs = oneOf(chance, [1600, 60_000, 1_600_000]);
  const algorithm = oneOf(chance, ['fixed', 'sliding'] as const);
  const owner = { name: `quota ${seed}`, namesMax: QUOTA };
  let nowMs = 0;
  const memory = createMemoryCounters({ nowMs: () => nowMs });
  let refusals = 0;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    // Eight steps share a window, and the next eight run four windows later, so no counter is used
    // just after its window has ended.
    const window = Math.floor(step / 8) * 4 + Math.ceil(START_MS / windowMs);
    nowMs = window * windowMs + (step % 8) * Math.floor(windowMs / 20);
    const names = new Set(Array.from({ length: 3 }, () => upTo(chance, NAMES - 1)));
    const rules = [...names].map((name) => ({
      name: `kr:quota/${seed}/${name}`,
      limit: 1,
      windowMs,
      algorithm,
    }));
    const theirs = await answerOf(() => redisAt(nowMs).check(owner, rules, 1));
    const ours = await answerOf(() => memory.check(owner, rules, 1));
    deepEqual(ours, theirs, `seed ${seed}, step ${step}`);
    if (ours === 'rate_limited') refusals += 1;
  }
  return refusals;
}

async function answerOf(check: () => Verdict | Promise<Verdict>): Promise<Verdict | string> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

test(
  'both stores deny the same checks once an owner has the maximum number of counters',
  { skip },
  () =>
    withRedis(async () => {
      let refusals = 0;
      for (let seed = 0; seed < SCHEDULES / 50; seed += AT_ONCE) {
        const runs = Array.from({ length: AT_ONCE }, (_, at) => runTwinsAtQuota(seed + at));
        for (const count of await Promise.all(runs)) refusals += count;
      }
      ok(refusals > 0, 'no schedule reached its quota');
    }),
);

type Life = { name: string; endsMs: number; windowMs: number };

/**
 * Creates counters with all kinds of windows, keeps some alive and lets others expire. A list
 * tracks which counters should exist.
 */
async function runQuota(seed: number): Promise<void> {
  const chance = chanceOf(seed + 4_000_000);
  const owner = { name: `live ${seed}`, namesMax: QUOTA };
  const lives: Life[] = [];
  let nowMs = START_MS + upTo(chance, 100_000);
  for (let step = 0; step < 3 * STEPS_MAX; step += 1) {
    nowMs += oneOf(chance, [0, 0, 1, 63, 500, 4000, upTo(chance, 60_000)]);
    const windowMs = oneOf(chance, [1000, 4000, 60_000]);
    const algorithm = oneOf(chance, ['fixed', 'sliding'] as const);
    const name = `kr:live/${seed}/${upTo(chance, NAMES)}/${algorithm}/${windowMs}`;
    const rule: Rule = { name, limit: 1_000_000, windowMs, algorithm };
    const answer = await answerOf(() => redisAt(nowMs).check(owner, [rule], 1));
    const counted = (lateShare: number) =>
      lives.filter((one) => one.endsMs + one.windowMs * lateShare > nowMs).length;
    const live = lives.find((one) => one.name === name && one.endsMs > nowMs);
    if (typeof answer === 'string') {
      ok(!live && counted(LATE_SHARE) >= QUOTA, `seed ${seed}, step ${step}: refused too early`);
      continue;
    }
    const width = algorithm === 'fixed' ? windowMs : Math.ceil(windowMs / 16);
    const span = algorithm === 'fixed' ? 1 : 17;
    const endsMs = (Math.floor(nowMs / width) + span) * width;
    if (live) live.endsMs = endsMs;
    else lives.push({ name, endsMs, windowMs });
    ok(counted(0) <= QUOTA, `seed ${seed}, step ${step}: more names than the quota`);
  }
}

test(
  'Redis never holds more live counters than the quota allows, and soon drops expired ones',
  {
    skip,
  },
  () =>
    withRedis(async () => {
      for (let seed = 0; seed < SCHEDULES / 50; seed += AT_ONCE) {
        await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => runQuota(seed + at)));
      }
    }),
);
