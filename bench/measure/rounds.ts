// Rounds in which several contestants take turns (A B C, A B C, …), so that other load on the
// machine affects all of them equally. Only adjacent measurements are comparable.
import { showRate } from './finding.ts';
import { OVERRUN_MAX } from './overrun.ts';
import type { RoundPlan } from './plan.ts';

const ROUNDS_SHOWN = 5;
/**
 * Once this many rounds have been cut off, the benchmark stops and uses the samples it has so far.
 */
const ENDED_ROUNDS_MAX = 5;

/** One contestant's result in one round. */
export type Sample = {
  perSecond: number;
  /** The rate per second of CPU time, if the contestant measures it. */
  perCpuSecond?: number;
  /**
   * Whether the round was cut off at ten times its planned time. If so, the rate covers the work
   * done up to then.
   */
  isEnded: boolean;
  remark: string;
};

export type Contestant<Name extends string> = { name: Name; run(ms: number): Promise<Sample> };

/** A contestant's samples, one for each round. */
export type Samples<Name extends string> = (name: Name) => readonly Sample[];

export async function runRounds<Name extends string>(
  { warmUpMs, roundMs, rounds }: RoundPlan,
  contestants: readonly Contestant<Name>[],
): Promise<Samples<Name>> {
  for (const { name, run } of contestants) {
    const { isEnded } = await run(warmUpMs);
    if (isEnded)
      console.log(`  warm-up of ${name} cut off after ${OVERRUN_MAX} times the planned time`);
  }
  const samples = new Map<Name, Sample[]>(contestants.map(({ name }) => [name, []]));
  let endedRounds = 0;
  for (let round = 1; round <= rounds && endedRounds < ENDED_ROUNDS_MAX; round += 1) {
    let isEnded = false;
    for (const { name, run } of contestants) {
      const sample = await run(roundMs);
      samples.get(name)?.push(sample);
      isEnded ||= sample.isEnded;
      const isShown = round % Math.ceil(rounds / ROUNDS_SHOWN) === 0;
      if (isShown || sample.isEnded) console.log(`  round ${round}  ${line(name, sample)}`);
    }
    if (isEnded) endedRounds += 1;
  }
  if (endedRounds === ENDED_ROUNDS_MAX)
    console.log(`  stopped: ${endedRounds} rounds were cut off`);
  return (name) => samples.get(name) ?? [];
}

function line(name: string, { perSecond, isEnded, remark }: Sample): string {
  const ended = isEnded ? `, cut off after ${OVERRUN_MAX} times the planned time` : '';
  return `${name.padEnd(34)}${showRate(perSecond).padStart(10)}  ${remark}${ended}`;
}

export const rates = (samples: readonly Sample[]): number[] =>
  samples.map(({ perSecond }) => perSecond);

/** Counts the rounds in which at least one contestant was cut off. */
export const endedRoundsOf = (...contestants: (readonly Sample[])[]): number =>
  (contestants[0] ?? []).filter((_, round) =>
    contestants.some((samples) => samples[round]?.isEnded === true),
  ).length;
