import type { RateLimit } from '@keyrail/protocol/validators.ts';
import type { Counters, Verdict } from '../../volatile/counters.ts';
import { counterName, type Subjects, slotOf } from './counter-names.ts';

export type Asked = { subjects: Subjects; rules: readonly RateLimit[]; cost: number };

/** Charges every rule or none. A denial is an answer, not an error. */
export function checkLimits(
  counters: Counters,
  { subjects, rules, cost }: Asked,
): Verdict | Promise<Verdict> {
  const slot = counters.isSlotted ? slotOf(subjects, rules) : '';
  const named = rules.map((rule) => ({
    name: counterName(subjects, rule, slot),
    limit: rule.limit,
    windowMs: rule.window_ms,
    algorithm: rule.algorithm,
  }));
  return counters.check(named, cost);
}
