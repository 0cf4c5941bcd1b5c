import type { RateLimit } from '@keyrail/protocol/validators.ts';
import type { Counters, Verdict } from '../../volatile/counters.ts';
import { namedRules, type Subjects } from './counter-names.ts';

type LimitCheck = { subjects: Subjects; rules: readonly RateLimit[]; cost: number };

/**
 * Charges all rules or none. A denial is a normal result, but exceeding the maximum number of
 * counters for the workspace and environment is an error.
 */
export function checkLimits(
  counters: Counters,
  { subjects, rules, cost }: LimitCheck,
): Verdict | Promise<Verdict> {
  const { owner, named } = namedRules(counters, subjects, rules);
  return counters.check(owner, named, cost);
}
