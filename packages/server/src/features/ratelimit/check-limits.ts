import type { RateLimit } from '@keyrail/protocol/validators.ts';
import type { Counters, Verdict } from '../../volatile/counters.ts';
import { counterName, ownerName, type Subjects, slotOf } from './counter-names.ts';

export type Asked = { subjects: Subjects; rules: readonly RateLimit[]; cost: number };

/**
 * Charges every rule or none. A denial is an answer, not an error; a check that needs more counters
 * than its workspace may have in its environment is an error.
 */
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
  const owner = { name: ownerName(subjects, slot), namesMax: counters.namesMax };
  return counters.check(owner, named, cost);
}
