// The two stores of counters are one algorithm: on any schedule they answer the same at every
// step, and whatever they admit, no interval holds more than its limit. A failure prints the seed
// that repeats it; COUNTER_SCHEDULES sets how many schedules are tried.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Counters, Rule, Verdict } from '../../packages/server/src/volatile/counters.ts';
import { openMemoryCounters } from '../../packages/server/src/volatile/memory.ts';
import { openRedisCounters } from '../../packages/server/src/volatile/redis.ts';
import { type RedisServer, redisIsMissing, startRedis } from '../stores/redis.ts';

const SCHEDULES = Number(process.env.COUNTER_SCHEDULES ?? 10_000);
const STEPS_MAX = 24;
const AT_ONCE = 50;
/** In the process what has run out is kept for a minute, lest a clock that is set back miss it. */
const BACK_MS_MAX = 59_000;
const START_MS = 1_800_000_000_000;
const skip = redisIsMissing();

let server: RedisServer;
before(async () => {
  if (!skip) server = await startRedis();
});
after(() => server?.stop());

type Chance = () => number;

/** The same numbers for the same seed (mulberry32). */
function chanceOf(seed: number): Chance {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const upTo = (chance: Chance, most: number): number => Math.floor(chance() * (most + 1));
const oneOf = <T>(chance: Chance, values: readonly T[]): T =>
  values[upTo(chance, values.length - 1)] as T;

type Step = { nowMs: number; cost: number; rules: Rule[] };

function rulesOf(chance: Chance, schedule: string): Rule[] {
  return Array.from({ length: 1 + upTo(chance, 2) }, (_, at) => ({
    name: `kr:{twins}${schedule}/${at}`,
    limit: oneOf(chance, [1, 2, 5, 20, 1_000_000_000]),
    windowMs: oneOf(chance, [1000, 1001, 1600, 60_000, 2_678_400_000]),
    algorithm: oneOf(chance, ['fixed', 'sliding'] as const),
  }));
}

/** Moves of the clock that matter: none, inside a bucket, to its edge, past the window, back. */
function stepsOf(chance: Chance, schedule: string): Step[] {
  const rules = rulesOf(chance, schedule);
  let nowMs = START_MS + upTo(chance, 5000);
  let latestMs = nowMs;
  return Array.from({ length: 1 + upTo(chance, STEPS_MAX - 1) }, () => {
    const windowMs = oneOf(chance, rules).windowMs;
    const part = Math.ceil(windowMs / 16);
    const toEdge = part - (nowMs % part);
    const move = oneOf(chance, [
      ...[0, 0, 1, toEdge - 1, toEdge, part, windowMs - 1, windowMs, windowMs + 1],
      ...[windowMs * 2, upTo(chance, windowMs), upTo(chance, part), -1, -part, -windowMs * 3],
    ]);
    nowMs = Math.max(nowMs + move, latestMs - BACK_MS_MAX);
    latestMs = Math.max(nowMs, latestMs);
    const cost = oneOf(chance, [0, 1, 1, 1, 1, 2, 3, 7, 1000]);
    const asked = chance() < 0.8 ? rules : rules.slice(0, 1 + upTo(chance, rules.length - 1));
    return { nowMs, cost, rules: asked };
  });
}

/** Some steps go out together, in one call of the script: they are decided in their order. */
async function runTwins(seed: number): Promise<void> {
  const chance = chanceOf(seed);
  const steps = stepsOf(chance, `s${seed}`);
  let nowMs = 0;
  const memory = openMemoryCounters({ nowMs: () => nowMs });
  while (steps.length > 0) {
    const together = steps.splice(0, oneOf(chance, [1, 1, 2, 5]));
    const asked = together.map(({ nowMs: at, rules, cost }) => redisAt(at).check(rules, cost));
    const theirs = await Promise.all(asked);
    for (const [at, step] of together.entries()) {
      nowMs = step.nowMs;
      const ours = memory.check(step.rules, step.cost);
      deepEqual(
        ours,
        theirs[at],
        `seed ${seed}, with ${steps.length} left: ${JSON.stringify(step)}`,
      );
    }
  }
}

/** One connection for all schedules; each asks at its own time. */
let shared: { counters: Counters; nowMs: number } | undefined;

function redisAt(nowMs: number): Counters {
  if (!shared) throw new Error('not opened');
  shared.nowMs = nowMs; // read at once, before anything is awaited
  return shared.counters;
}

test('both stores answer the same at every step of every schedule', { skip }, async () => {
  const held = { nowMs: 0 };
  const counters = openRedisCounters({
    url: server.url,
    isCluster: false,
    onFault: () => {},
    nowMs: () => held.nowMs,
    answerMsMax: 30_000, // how fast a busy machine answers is not the question here
  });
  await counters.settled;
  shared = Object.assign(held, { counters });
  try {
    for (let seed = 0; seed < SCHEDULES; seed += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => runTwins(seed + at)));
    }
  } finally {
    await counters.close();
  }
});

type Admitted = { atMs: number; cost: number };

/** By brute force: every interval that ends with an admission, and every aligned window. */
function holdWithin(
  { algorithm, windowMs, limit }: Rule,
  admitted: Admitted[],
  seed: number,
): void {
  for (const last of admitted) {
    const isInside = ({ atMs }: Admitted): boolean =>
      algorithm === 'fixed'
        ? Math.floor(atMs / windowMs) === Math.floor(last.atMs / windowMs)
        : atMs > last.atMs - windowMs && atMs <= last.atMs;
    const inside = admitted.filter(isInside).reduce((sum, { cost }) => sum + cost, 0);
    ok(inside <= limit, `seed ${seed}: ${inside} of ${limit} in one window (${algorithm})`);
  }
}

test('no interval of any schedule holds more than the limit, and none is charged by halves', () => {
  for (let seed = 0; seed < SCHEDULES; seed += 1) {
    const chance = chanceOf(seed + 1_000_000);
    const rules = rulesOf(chance, 'brute');
    let nowMs = START_MS;
    const memory = openMemoryCounters({ nowMs: () => nowMs });
    const admitted: Admitted[] = [];
    for (let at = 0; at < 60; at += 1) {
      nowMs += oneOf(chance, [0, 1, 5, 62, 63, 100, 999, 1000, upTo(chance, 4000)]);
      const before = usedBy(memory.check(rules, 0));
      const cost = oneOf(chance, [1, 1, 1, 2, 4]);
      const { allowed, tallies } = memory.check(rules, cost);
      deepEqual(usedBy({ tallies }), allowed ? before.map((used) => used + cost) : before);
      if (allowed) admitted.push({ atMs: nowMs, cost });
    }
    for (const rule of rules) holdWithin(rule, admitted, seed);
  }
});

const usedBy = ({ tallies }: Pick<Verdict, 'tallies'>): number[] => tallies.map(({ used }) => used);

test('a denied charge is admitted after the wait that it was told, and not a moment before', () => {
  for (let seed = 0; seed < 2000; seed += 1) {
    const chance = chanceOf(seed + 2_000_000);
    const rules = rulesOf(chance, 'wait').map((rule) => ({ ...rule, limit: 1 + upTo(chance, 5) }));
    let nowMs = START_MS;
    const memory = openMemoryCounters({ nowMs: () => nowMs });
    for (let at = 0; at < 60; at += 1) {
      nowMs += upTo(chance, 300);
      const { allowed, limited, tallies } = memory.check(rules, 1);
      if (allowed || limited === null) continue;
      const waitMs = tallies[limited]?.waitMs ?? 0;
      ok(waitMs > 0);
      nowMs += waitMs - 1;
      equal(memory.check(rules, 1).allowed, false, `seed ${seed}`);
      nowMs += 1;
      equal(memory.check(rules, 1).allowed, true, `seed ${seed}`);
    }
  }
});
