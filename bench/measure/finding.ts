// A finding: one row of the results, as text for readers and as numbers for comparing two runs.
import { type Attainment, attainment, type Goal, showGoal } from './goal.ts';
import { type Interval, median, medianInterval } from './statistics.ts';

export type Figure = {
  better: Goal['better'];
  median: number;
  /** The 95% confidence interval of the median; null if too few values were measured. */
  interval: Interval | null;
};

export type Finding = {
  name: string;
  ours: string;
  peer: string;
  ratio: string;
  goal: string;
  /**
   * Whether the goal was met; null for a result without a goal, which is only shown for context.
   */
  attained: Attainment | null;
  figure: Figure;
  /** How many rounds were cut off because they took much longer than planned. */
  endedRounds: number;
};

export type Show = (value: number) => string;

type Described = {
  name: string;
  /** The values that are checked against the goal and compared between runs. */
  values: readonly number[];
  show: Show;
  goal: Goal;
  /** Keyrail's result as text; by default, the values themselves. */
  ours?: string;
  peer?: string;
  ratio?: string;
  endedRounds?: number;
};

export function createFinding(described: Described): Finding {
  const { name, values, show, goal, peer = '-', ratio = '-', endedRounds = 0 } = described;
  return {
    name,
    ours: described.ours ?? showMedian(values, show),
    peer,
    ratio,
    goal: showGoal(goal, show),
    attained: attainment(goal, values),
    figure: {
      better: goal.better,
      median: median(values),
      interval: medianInterval(values),
    },
    endedRounds,
  };
}

/** `1234/s ±3 %`: the median and its confidence interval, if there is one. */
export function showMedian(values: readonly number[], show: Show): string {
  const middle = median(values);
  const interval = medianInterval(values);
  if (interval === null) return show(middle);
  const furthest = Math.max(middle - interval.low, interval.high - middle);
  return `${show(middle)} ±${Math.round((furthest / middle) * 100)} %`;
}

export const showRate: Show = (perSecond) => `${Math.round(perSecond)}/s`;
export const showRatio: Show = (ratio) => ratio.toFixed(2);
export const showMs: Show = (ms) => `${ms.toFixed(2)} ms`;
export const showSeconds: Show = (seconds) => `${seconds.toFixed(2)} s`;
