// Random rate limits and schedules for counter tests, each determined by a seed.
import type { Rule } from '@keyrail/server/volatile/counters.ts';
import { inRun } from '@keyrail/testing/full-run.ts';
import { type Chance, oneOf, upTo } from '@keyrail/testing/seeded-chance.ts';

/** How many schedules each test runs. */
export const SCHEDULES = Number(
  process.env.COUNTER_SCHEDULES ?? inRun({ usual: 4000, full: 10_000 }),
);
export const START_MS = 1_800_000_000_000;

export function rulesOf(chance: Chance, schedule: string): Rule[] {
  return Array.from({ length: 1 + upTo(chance, 2) }, (_, at) => ({
    name: `kr:{twins}${schedule}/${at}`,
    limit: oneOf(chance, [1, 2, 5, 20, 1_000_000_000]),
    windowMs: oneOf(chance, [1000, 1001, 1600, 60_000, 2_678_400_000]),
    algorithm: oneOf(chance, ['fixed', 'sliding'] as const),
  }));
}
