// The size of a run: how long it measures, and how many keys it uses.
import type { Finding } from './finding.ts';

export type RoundPlan = { warmUpMs: number; roundMs: number; rounds: number };

export type Plan = {
  /** A brief run only shows that the benchmarks work; its numbers mean nothing. */
  isBrief: boolean;
  /** The number of keys in benchmarks that need many of them. */
  keys: number;
};

/**
 * Benchmarks report each finding as soon as it is known, because a run may be stopped at any time.
 */
export type Run = { plan: Plan; report(finding: Finding): void };

const KEYS = 1_000_000;
const BRIEF_KEYS = 4000;
const BRIEF_WARM_UP_MS = 200;
const BRIEF_ROUNDS = 5;

/**
 * There are many short rounds, because the speed of a shared machine varies from second to second.
 */
const ROUNDS: RoundPlan = { warmUpMs: 5000, roundMs: 250, rounds: 85 };

export const createPlan = (isBrief: boolean, keys: number | null): Plan => ({
  isBrief,
  keys: keys ?? (isBrief ? BRIEF_KEYS : KEYS),
});

export const roundsOf = ({ isBrief }: Plan, usual: RoundPlan = ROUNDS): RoundPlan =>
  isBrief ? { warmUpMs: BRIEF_WARM_UP_MS, roundMs: usual.roundMs, rounds: BRIEF_ROUNDS } : usual;
