// In-process counters are limited per owner. A flood evicts only the flooding owner's counters, and
// never one that is at its limit. Expired counters are removed automatically.
import { equal, ok, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@keyrail/server/base/errors.ts';
import { createMemoryCounters } from '@keyrail/server/volatile/memory.ts';

const START_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
const NAMES_MAX = 1000;

type Asked = { owner?: string; limit?: number; windowMs?: number; cost?: number };

function scene() {
  let nowMs = START_MS;
  const counters = createMemoryCounters({ nowMs: () => nowMs });
  return {
    counters,
    pass: (ms: number) => {
      nowMs += ms;
    },
    charge(names: string | string[], asked: Asked = {}) {
      const { owner = 'one', limit = 1, windowMs = HOUR_MS, cost = 1 } = asked;
      const rules = [names].flat().map((name) => ({
        name: `${owner}/${name}`,
        limit,
        windowMs,
        algorithm: 'sliding' as const,
      }));
      return counters.check({ name: owner, namesMax: NAMES_MAX }, rules, cost);
    },
  };
}

const isOverQuota = (error: unknown): boolean => {
  ok(error instanceof ApiError);
  equal(error.code, 'rate_limited');
  ok(Number(error.headers['retry-after']) >= 1);
  return true;
};

test("a flood of new counters evicts only the same owner's oldest counters below their limit", () => {
  const { counters, charge } = scene();
  charge('at its limit');
  charge('of another', { owner: 'other', limit: 2 });
  for (let at = 0; at < 5 * NAMES_MAX; at += 1) {
    charge(`flood ${at}`, { limit: 2 });
    ok(counters.size('one') <= NAMES_MAX);
    ok(at < NAMES_MAX || counters.size('one') >= 0.99 * NAMES_MAX);
  }
  equal(charge('at its limit').allowed, false);
  equal(charge('of another', { owner: 'other', limit: 2 }).tallies[0]?.used, 2);
  equal(charge('flood 0', { limit: 2 }).tallies[0]?.used, 1, 'the oldest has been dropped');
  const last = `flood ${5 * NAMES_MAX - 1}`;
  equal(charge(last, { limit: 2 }).tallies[0]?.used, 2, 'the newest is still counted');
});

test('a counter that is charged regularly survives a flood of new counters', () => {
  const { charge } = scene();
  for (let at = 0; at < 5 * NAMES_MAX; at += 1) {
    charge(`flood ${at}`, { limit: 2 });
    if (at % 100) continue;
    equal(charge('busy', { limit: NAMES_MAX }).tallies[0]?.used, at / 100 + 1);
  }
});

test("when all of an owner's counters are at their limit, new ones are denied to that owner only", () => {
  const { counters, charge } = scene();
  for (let at = 0; at < NAMES_MAX; at += 1) charge(`${at}`);
  throws(() => charge('one more'), isOverQuota);
  throws(() => charge(['5', 'one more'], { limit: 9 }), isOverQuota);
  equal(charge('5', { limit: 9, cost: 0 }).tallies[0]?.used, 1, 'a denied check charges nothing');
  equal(charge('5').allowed, false, 'an existing name is still denied');
  equal(
    charge('5', { limit: 9 }).allowed,
    true,
    'an existing name is charged if its limit is higher',
  );
  equal(charge('a look', { cost: 0 }).allowed, true, 'a check with cost 0 needs no counter');
  equal(charge('another owner', { owner: 'other' }).allowed, true);
  equal(counters.size('one'), NAMES_MAX);
});

test('counters that drop below their limit make room for new ones', () => {
  const { counters, charge, pass } = scene();
  for (let at = 0; at < NAMES_MAX; at += 1)
    charge(`${at}`, { windowMs: at < 900 ? HOUR_MS : 1000 });
  throws(() => charge('too early'), isOverQuota);
  pass(2000);
  let refused = 0;
  for (let at = 0; at < 100; ) {
    try {
      charge(`new ${at}`);
      at += 1;
    } catch (error) {
      ok(isOverQuota(error));
      refused += 1;
      ok(refused < NAMES_MAX, 'names below their limit are never found');
    }
  }
  throws(() => charge('too many'), isOverQuota);
  equal(charge('899').allowed, false, 'a name at its limit was dropped');
  equal(counters.size('one'), NAMES_MAX);
});

test('expired counters are removed, even if their owner is inactive', () => {
  const { counters, charge, pass } = scene();
  for (let at = 0; at < NAMES_MAX; at += 1) charge(`${at}`, { owner: 'gone', windowMs: 1000 });
  for (let at = 0; at < NAMES_MAX; at += 1) charge(`${at}`, { windowMs: 1000 });
  pass(120_000);
  for (let at = 0; at < 1100; at += 1) charge('in use', { limit: 2000 });
  ok(counters.size() < 10, `${counters.size()} are left`);
  for (let at = 0; at < NAMES_MAX; at += 1) charge(`${at}`, { windowMs: 1000 });
  pass(120_000);
  for (let at = 0; at < 600; at += 1) charge('always denied', { limit: 1, cost: 2 });
  ok(counters.size() < 10, `${counters.size()} are left after nothing but denials`);
});

test('by default, a workspace can have up to a hundred thousand counters', () => {
  const counters = createMemoryCounters({ nowMs: () => START_MS });
  const owner = { name: 'one', namesMax: counters.namesMax };
  const charge = (at: number) =>
    counters.check(owner, [{ name: `${at}`, limit: 1, windowMs: 1000, algorithm: 'fixed' }], 1);
  for (let at = 0; at < 100_000; at += 1) charge(at);
  throws(() => charge(100_000), isOverQuota);
  equal(counters.size(), 100_000);
});
