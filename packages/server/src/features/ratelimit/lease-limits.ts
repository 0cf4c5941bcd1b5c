import type { RateLimit } from '@keyrail/protocol/validators.ts';
import type { Counters, Lease } from '../../volatile/counters.ts';
import { namedRules, type Subjects } from './counter-names.ts';

type Wanted = { subjects: Subjects; rules: readonly RateLimit[]; want: number; id: string };

/**
 * Charges up to `want` units in advance, to the same counters that checks use. A denied lease has
 * the same form as a denied check.
 */
export function leaseLimits(
  counters: Counters,
  { subjects, rules, want, id }: Wanted,
): Lease | Promise<Lease> {
  const { owner, named } = namedRules(counters, subjects, rules);
  return counters.lease(owner, named, { want, id });
}
