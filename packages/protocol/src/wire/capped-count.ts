// Formats a dry run's counts. If counting stopped early, the count is only a lower bound.
import { IMPACT_KEYS_MAX } from './limits.ts';

export function cappedCount(count: number, { capped }: { capped: boolean }): string {
  if (!capped) return count.toLocaleString('en');
  if (count > IMPACT_KEYS_MAX) return `more than ${IMPACT_KEYS_MAX.toLocaleString('en')}`;
  return `at least ${count.toLocaleString('en')}`;
}
