// The rate limits of a key or a project, as a form holds them.
import type { Rule } from './rate-limits.tsx';

type LimitKind = 'project' | 'custom' | 'unlimited';

export type Limits = { kind: LimitKind; rules: readonly Rule[] };

/** From the API: null means the project's defaults, an empty list for no limit at all. */
export const limitsOf = (rules: readonly Rule[] | null): Limits => ({
  kind: rules === null ? 'project' : rules.length === 0 ? 'unlimited' : 'custom',
  rules: rules ?? [],
});

/** Custom limits without a rule are not sent: to the API that would mean no limit at all. */
export const needsRule = ({ kind, rules }: Limits): boolean =>
  kind === 'custom' && rules.length === 0;

/** For the API. Only `unlimited` gives an empty list. */
export function rulesOf(limits: Limits): Rule[] | null {
  if (limits.kind === 'unlimited') return [];
  return limits.kind === 'project' || needsRule(limits) ? null : [...limits.rules];
}
