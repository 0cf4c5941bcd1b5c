// No interval in any schedule exceeds its limit, and a denied caller is told exactly how long to
// wait. A failure prints the seed that reproduces it.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule, Verdict } from '@keyrail/server/volatile/counters.ts';
import { createMemoryCounters } from '@keyrail/server/volatile/memory.ts';
import { ownerOf } from '@keyrail/testing/counter-owners.ts';
import { chanceOf, oneOf, upTo } from '@keyrail/testing/seeded-chance.ts';
import { rulesOf, SCHEDULES, START_MS } from './counter-schedules.ts';

type Admitted = { atMs: number; cost: number };

/** Brute force: checks every interval that ends with an allowed check, and every fixed window. */
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

test('no interval in any schedule exceeds its limit, and no check is charged partially', () => {
  for (let seed = 0; seed < SCHEDULES; seed += 1) {
    const chance = chanceOf(seed + 1_000_000);
    const rules = rulesOf(chance, 'brute');
    let nowMs = START_MS;
    const memory = createMemoryCounters({ nowMs: () => nowMs });
    const admitted: Admitted[] = [];
    for (let at = 0; at < 60; at += 1) {
      nowMs += oneOf(chance, [0, 1, 5, 62, 63, 100, 999, 1000, upTo(chance, 4000)]);
      const before = usedBy(memory.check(ownerOf(rules), rules, 0));
      const cost = oneOf(chance, [1, 1, 1, 2, 4]);
      const { allowed, tallies } = memory.check(ownerOf(rules), rules, cost);
      deepEqual(usedBy({ tallies }), allowed ? before.map((used) => used + cost) : before);
      if (allowed) admitted.push({ atMs: nowMs, cost });
    }
    for (const rule of rules) holdWithin(rule, admitted, seed);
  }
});

const usedBy = ({ tallies }: Pick<Verdict, 'tallies'>): number[] => tallies.map(({ used }) => used);

test('a denied charge is allowed exactly once the reported wait is over', () => {
  for (let seed = 0; seed < 2000; seed += 1) {
    const chance = chanceOf(seed + 2_000_000);
    const rules = rulesOf(chance, 'wait').map((rule) => ({ ...rule, limit: 1 + upTo(chance, 5) }));
    let nowMs = START_MS;
    const memory = createMemoryCounters({ nowMs: () => nowMs });
    for (let at = 0; at < 60; at += 1) {
      nowMs += upTo(chance, 300);
      const { allowed, limited, tallies } = memory.check(ownerOf(rules), rules, 1);
      if (allowed || limited === null) continue;
      const waitMs = tallies[limited]?.waitMs ?? 0;
      ok(waitMs > 0);
      nowMs += waitMs - 1;
      equal(memory.check(ownerOf(rules), rules, 1).allowed, false, `seed ${seed}`);
      nowMs += 1;
      equal(memory.check(ownerOf(rules), rules, 1).allowed, true, `seed ${seed}`);
    }
  }
});
