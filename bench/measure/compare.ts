// Findings that compare two contestants measured in the same rounds.
import { createFinding, type Finding, showMedian, showMs, showRate, showRatio } from './finding.ts';
import type { Goal } from './goal.ts';
import { atMost } from './goal.ts';
import { perSecond, repeat } from './overrun.ts';
import { type Run, roundsOf } from './plan.ts';
import { type Contestant, endedRoundsOf, rates, runRounds, type Samples } from './rounds.ts';
import { ratios } from './statistics.ts';

type Comparison<Name extends string> = {
  name: string;
  ours: Name;
  peer: Name;
  /** The peer's label in the table, if it differs from its name. */
  label?: string;
  goal: Goal;
};

/** Compares Keyrail's rate with the peer's. */
export function compareRates<Name extends string>(
  samples: Samples<Name>,
  { name, ours, peer, label = peer, goal }: Comparison<Name>,
): Finding {
  const ourRates = rates(samples(ours));
  const peerRates = rates(samples(peer));
  const values = ratios(ourRates, peerRates);
  return createFinding({
    name,
    values,
    show: showRatio,
    goal,
    ours: showMedian(ourRates, showRate),
    peer: `${label} ${showMedian(peerRates, showRate)}`,
    ratio: showMedian(values, showRatio),
    endedRounds: endedRoundsOf(samples(ours), samples(peer)),
  });
}

/** Reports Keyrail's rate on its own, without a peer. */
export function rateOf<Name extends string>(
  samples: Samples<Name>,
  { name, ours, goal }: Pick<Comparison<Name>, 'name' | 'ours' | 'goal'>,
): Finding {
  const values = rates(samples(ours));
  const endedRounds = endedRoundsOf(samples(ours));
  return createFinding({ name, values, show: showRate, goal, endedRounds });
}

const ROUNDS = { warmUpMs: 1000, roundMs: 1000, rounds: 15 };

type Growth = {
  name: string;
  /** The table's label for the small set. */
  few: string;
  ratioMax: number;
};

type Calls = Record<'few' | 'many', () => Promise<unknown>>;

/**
 * Measures how long the same call takes on a small and on a large set, alternating between the two.
 */
export async function compareTimes(
  { plan }: Run,
  { name, few: label, ratioMax }: Growth,
  calls: Calls,
): Promise<Finding> {
  const contestant = (which: keyof Calls): Contestant<keyof Calls> => ({
    name: which,
    run: async (ms) => {
      const counted = await repeat({ ms, concurrency: 1 }, () => calls[which]);
      return { perSecond: perSecond(counted), isEnded: counted.isEnded, remark: '' };
    },
  });
  const samples = await runRounds(roundsOf(plan, ROUNDS), [contestant('few'), contestant('many')]);
  const msOf = (which: keyof Calls) => rates(samples(which)).map((rate) => 1000 / rate);
  const values = ratios(msOf('many'), msOf('few'));
  return createFinding({
    name,
    values,
    show: showRatio,
    goal: atMost(ratioMax),
    ours: showMedian(msOf('many'), showMs),
    peer: `${label} ${showMedian(msOf('few'), showMs)}`,
    ratio: showMedian(values, showRatio),
    endedRounds: endedRoundsOf(samples('many'), samples('few')),
  });
}
