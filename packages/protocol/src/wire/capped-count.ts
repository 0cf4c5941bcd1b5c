// Formats the counts of a dry run. A count that has reached its maximum is a lower bound.
import { IMPACT_KEYS_MAX } from './limits.ts';

export function cappedCount(count: number, { capped }: { capped: boolean }): string {
  if (!capped) return count.toLocaleString('en');
  if (count > IMPACT_KEYS_MAX) return `more than ${IMPACT_KEYS_MAX.toLocaleString('en')}`;
  return `at least ${count.toLocaleString('en')}`;
}
