// Rounds of several contestants in turns (A B C, A B C, …), so that other load on the machine
// affects all of them equally. Rounds are short and many: the speed of a shared machine varies
// within seconds, and only adjacent measurements are comparable.

import type { Verdict } from './table.ts';

const WARM_UP_MS = 5000;
const ROUND_MS = 250;
const ROUNDS = 85;
const ROUNDS_SHOWN = 5;

/** The result of one contestant in one round. */
export type Lap = { perSecond: number; remark: string };

export type Contestant<Name extends string> = {
  name: Name;
  run(ms: number): Promise<Lap>;
};

export type Laps<Name extends string> = Record<Name, number[]>;

export async function takeTurns<Name extends string>(
  contestants: readonly Contestant<Name>[],
): Promise<Laps<Name>> {
  for (const { run } of contestants) await run(WARM_UP_MS);
  const laps = Object.fromEntries(
    contestants.map(({ name }) => [name, []]),
  ) as unknown as Laps<Name>;
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const { name, run } of contestants) {
      const { perSecond, remark } = await run(ROUND_MS);
      laps[name].push(perSecond);
      if (round % (ROUNDS / ROUNDS_SHOWN) !== 0) continue;
      console.log(`  round ${round}  ${name.padEnd(34)}${rate(perSecond).padStart(10)}  ${remark}`);
    }
  }
  return laps;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) throw new Error('no values to take a median of');
  const lower = sorted.length % 2 === 0 ? (sorted[middle - 1] ?? upper) : upper;
  return (lower + upper) / 2;
}

/**
 * The 95 % confidence interval of the median: two of the sorted values, whose positions depend only
 * on the number of values.
 */
function around(values: readonly number[]): { least: number; most: number } {
  const sorted = values.toSorted((one, other) => one - other);
  const reach = 0.98 * Math.sqrt(sorted.length);
  const from = Math.max(0, Math.floor(sorted.length / 2 - reach));
  const to = Math.min(sorted.length - 1, Math.ceil(sorted.length / 2 + reach) - 1);
  return { least: sorted[from] ?? Number.NaN, most: sorted[to] ?? Number.NaN };
}

/** Whether a target is met; `unclear` if the result could be chance. */
export function judge(values: readonly number[], isMet: (value: number) => boolean): Verdict {
  const { least, most } = around(values);
  if (isMet(least) && isMet(most)) return true;
  return isMet(least) || isMet(most) ? 'unclear' : false;
}

/** Ratios per round: adjacent measurements are compared, not the best of each contestant. */
export const ratios = (ours: readonly number[], peers: readonly number[]): number[] =>
  ours.map((value, round) => value / (peers[round] ?? Number.NaN));

export const rate = (perSecond: number): string => `${Math.round(perSecond)}/s`;

/** `1234/s ±3 %`: the median and its confidence interval. */
export function spread(values: readonly number[], show: (value: number) => string): string {
  const middle = median(values);
  const { least, most } = around(values);
  const furthest = Math.max(middle - least, most - middle);
  return `${show(middle)} ±${Math.round((furthest / middle) * 100)} %`;
}
