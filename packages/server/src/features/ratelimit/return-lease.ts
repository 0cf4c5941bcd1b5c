import type { RateLimit } from '@keyrail/protocol/validators.ts';
import type { Counters, Rest } from '../../volatile/counters.ts';
import { namedRules, type Subjects } from './counter-names.ts';

type Returned = Rest & { subjects: Subjects; rules: readonly RateLimit[] };

/**
 * Subtracts a lease's unused units from its counters. Returns 0 if the lease has ended, or if its
 * units have already been returned.
 */
export function returnLease(
  counters: Counters,
  { subjects, rules, leaseId, unused }: Returned,
): number | Promise<number> {
  const { owner, named } = namedRules(counters, subjects, rules);
  return counters.giveBack(owner, named, { leaseId, unused });
}
