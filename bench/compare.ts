// Findings about two contestants that were measured in the same rounds.
import { judge, type Laps, rate, ratios, spread } from './rounds.ts';
import type { Finding } from './table.ts';

type Comparison<Name extends string> = {
  name: string;
  ours: Name;
  peer: Name;
  /** The peer's label in the table, if it differs from its name. */
  called?: string;
  /** Null if there is no target. */
  least: number | null;
};

/** The ratio of our rate to the peer's. */
export function compareRates<Name extends string>(
  laps: Laps<Name>,
  { name, ours, peer, called = peer, least }: Comparison<Name>,
): Finding {
  const against = ratios(laps[ours], laps[peer]);
  return {
    name,
    ours: spread(laps[ours], rate),
    peer: `${called} ${spread(laps[peer], rate)}`,
    ratio: spread(against, (value) => value.toFixed(2)),
    target: least === null ? 'context' : `>= ${least.toFixed(2)}`,
    met: least === null ? null : judge(against, (value) => value >= least),
  };
}

const ROUNDS = 15;

type Growth = { name: string; few: string; most: number };

/** Times the same work on a large and on a small set, in turns. */
export async function compareTimes(
  { name, few: called, most }: Growth,
  few: () => Promise<number>,
  many: () => Promise<number>,
): Promise<Finding> {
  const small: number[] = [];
  const large: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const laps = [await few(), await many()] as const;
    if (round === 0) continue; // warm
    small.push(laps[0]);
    large.push(laps[1]);
  }
  const against = ratios(large, small);
  const shown = (ms: number) => `${ms.toFixed(2)} ms`;
  return {
    name,
    ours: spread(large, shown),
    peer: `${called} ${spread(small, shown)}`,
    ratio: spread(against, (value) => value.toFixed(2)),
    target: `<= ${most.toFixed(2)}`,
    met: judge(against, (value) => value <= most),
  };
}
