import type { RateLimit } from '@keyrail/protocol/validators.ts';
import type { Counters, Verdict } from '../../volatile/counters.ts';
import { counterName, ownerName, type Subjects, slotOf } from './counter-names.ts';

type LimitCheck = { subjects: Subjects; rules: readonly RateLimit[]; cost: number };

/**
 * Charges all rules or none. A denial is a normal result. A check that would exceed the number of
 * counters of its workspace and environment is an error.
 */
export function checkLimits(
  counters: Counters,
  { subjects, rules, cost }: LimitCheck,
): Verdict | Promise<Verdict> {
  const slot = counters.isSlotted ? slotOf(subjects, rules) : '';
  const named = rules.map((rule) => ({
    name: counterName(subjects, rule, slot),
    limit: rule.limit,
    windowMs: rule.window_ms,
    algorithm: rule.algorithm,
  }));
  const owner = { name: ownerName(subjects, slot), namesMax: counters.namesMax };
  return counters.check(owner, named, cost);
}
