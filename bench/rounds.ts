// Rounds of several contestants, taken in turns (A B C, A B C, …), so that whatever else the
// machine does meanwhile falls on all of them alike. Ratios are taken within a round.

import type { Verdict } from './table.ts';

export const WARM_UP_MS = 5000;
export const ROUND_MS = 3000;
export const ROUNDS = 7;

/** What one contestant did in one round. */
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
 * Whether a target is met, judged by the middle half of the rounds: where they do not agree, a
 * median would only say which side chance fell on.
 */
export function judge(values: readonly number[], isMet: (value: number) => boolean): Verdict {
  const sorted = values.toSorted((one, other) => one - other);
  const outer = Math.floor(sorted.length / 4);
  const middle = sorted.slice(outer, sorted.length - outer);
  if (middle.every(isMet)) return true;
  return middle.some(isMet) ? 'unclear' : false;
}

/** By the median alone, which always decides. */
export const judgeMedian: typeof judge = (values, isMet) => isMet(median(values));

/** Ratios round by round: neighbours in time are compared, not the best of each. */
export const ratios = (ours: readonly number[], peers: readonly number[]): number[] =>
  ours.map((value, round) => value / (peers[round] ?? Number.NaN));

export const rate = (perSecond: number): string => `${Math.round(perSecond)}/s`;

/** `1234/s ±3 %`: the median, and how far the furthest round strayed from it. */
export function spread(values: readonly number[], show: (value: number) => string): string {
  const middle = median(values);
  const furthest = Math.max(...values.map((value) => Math.abs(value - middle)));
  return `${show(middle)} ±${Math.round((furthest / middle) * 100)} %`;
}
