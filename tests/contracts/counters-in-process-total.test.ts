// The total number of in-process counters is limited. At the limit, owners that have more counters
// than others get no new ones, and existing counters are kept.
import { equal, ok, throws } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { ApiError } from '@keyrail/server/base/errors.ts';
import { createMemoryCounters, totalNamesMax } from '@keyrail/server/volatile/memory.ts';

const START_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
const NAMES_MAX = 100_000;
const TOTAL_MAX = 1000;

function scene() {
  let nowMs = START_MS;
  const counters = createMemoryCounters({ nowMs: () => nowMs, totalMax: TOTAL_MAX });
  const rules = (owner: string, name: string, limit: number) => [
    { name: `${owner}/${name}`, limit, windowMs: HOUR_MS, algorithm: 'sliding' as const },
  ];
  const charge = (owner: string, name: string, limit = 1) =>
    counters.check({ name: owner, namesMax: NAMES_MAX }, rules(owner, name, limit), 1);
  const lease = (owner: string, name: string) =>
    counters.lease({ name: owner, namesMax: NAMES_MAX }, rules(owner, name, 9), {
      want: 2,
      id: name,
    });
  return {
    counters,
    charge,
    lease,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** Creates new counters until one is denied; returns how many were allowed. */
    flood(owner: string, limit = 1): number {
      for (let at = 0; at < 3 * TOTAL_MAX; at += 1) {
        try {
          charge(owner, `flood ${at}`, limit);
        } catch (error) {
          ok(isOverQuota(error));
          return at;
        }
      }
      throw new Error('the flood was never denied');
    },
  };
}

function isOverQuota(error: unknown): boolean {
  ok(error instanceof ApiError);
  equal(error.code, 'rate_limited');
  ok(Number(error.headers['retry-after']) >= 1);
  return true;
}

test('a counter at its limit survives floods by three other owners, and can still be checked', () => {
  for (const limit of [1, 1000]) {
    const { counters, charge, flood } = scene();
    charge('victim', 'at its limit');
    charge('victim', 'below its limit', 9);
    const floods = ['one', 'two', 'three'].map((owner) => flood(owner, limit));
    ok(
      floods.every((count) => count >= TOTAL_MAX / 4),
      `${floods}`,
    );
    equal(charge('victim', 'at its limit').allowed, false);
    equal(charge('victim', 'below its limit', 9).tallies[0]?.used, 2);
    equal(charge('one', 'flood 0', limit).allowed, limit > 1, 'a flooder keeps its counters too');
    equal(charge('victim', 'new').allowed, true, 'an owner with few names gets new ones');
    equal(charge('fifth', 'new').allowed, true);
    throws(() => charge('one', 'new'), isOverQuota);
    ok(counters.size() < 2 * TOTAL_MAX);
  }
});

test('the process never has more than twice the configured number of counters, no matter how many owners flood it', () => {
  const { counters, flood, charge } = scene();
  charge('victim', 'at its limit');
  for (let at = 0; at < 200; at += 1) flood(`owner ${at}`);
  ok(counters.size() <= 2 * TOTAL_MAX, `${counters.size()}`);
  equal(charge('victim', 'at its limit').allowed, false);
});

test('expired counters make room for new ones, regardless of owner', () => {
  const { counters, charge, flood, pass } = scene();
  for (const owner of ['one', 'two', 'three']) flood(owner);
  throws(() => charge('one', 'new'), isOverQuota);
  pass(2 * HOUR_MS);
  for (let at = 0; at < 3 * TOTAL_MAX; at += 1) charge('victim', 'steady', 10_000);
  ok(counters.size() < 10, `${counters.size()}`);
  equal(charge('one', 'new').allowed, true);
});

test('when the process has its maximum number of counters, leases create no new ones, and existing ones keep working', () => {
  const { charge, flood, lease } = scene();
  for (const owner of ['one', 'two']) flood(owner);
  throws(() => lease('one', 'new'), isOverQuota);
  equal(lease('one', 'flood 0').granted, 2);
  equal(charge('one', 'flood 0', 9).tallies[0]?.used, 4);
});

test("the maximum number of counters depends on the process's heap limit", () => {
  const script =
    "import('@keyrail/server/volatile/memory.ts').then((m) => console.log(m.totalNamesMax()))";
  const inHeapOf = (mebibytes: number) =>
    Number(
      spawnSync(process.execPath, [`--max-old-space-size=${mebibytes}`, '-e', script], {
        encoding: 'utf8',
        cwd: import.meta.dirname,
      }).stdout,
    );
  const small = inHeapOf(400);
  const large = inHeapOf(4000);
  ok(small > 45_000 && small < 100_000, `${small}`);
  ok(large > 5 * small, `${large}`);
  ok(totalNamesMax() > 0);
});
