// A goal: whether higher or lower is better, and the limit to reach.
import { median, medianInterval } from './statistics.ts';

export type Goal = {
  better: 'higher' | 'lower';
  /** The limit; null if the result is only shown for context. */
  limit: number | null;
};

/** `unclear`: the limit lies within the confidence interval. */
export type Attainment = 'met' | 'missed' | 'unclear';

export const atLeast = (limit: number): Goal => ({ better: 'higher', limit });
export const atMost = (limit: number): Goal => ({ better: 'lower', limit });
export const higherIsBetter: Goal = { better: 'higher', limit: null };
export const lowerIsBetter: Goal = { better: 'lower', limit: null };

/** Whether the values meet a goal; null if the goal has no limit. */
export function attainment(goal: Goal, values: readonly number[]): Attainment | null {
  const { better, limit } = goal;
  if (limit === null) return null;
  const isMet = (value: number) => (better === 'higher' ? value >= limit : value <= limit);
  const middle = median(values);
  const { low, high } = medianInterval(values) ?? { low: middle, high: middle };
  if (isMet(low) && isMet(high)) return 'met';
  return isMet(low) || isMet(high) ? 'unclear' : 'missed';
}

export function showGoal({ better, limit }: Goal, show: (value: number) => string): string {
  if (limit === null) return 'context';
  return `${better === 'higher' ? '>=' : '<='} ${show(limit)}`;
}
