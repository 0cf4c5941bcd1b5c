// The rate limits of a key or project: in a form, in the API and as text.
import { rateLimits } from '../../texts/rate-limits.ts';
import { durationText } from '../content/spans.ts';
import type { Rule } from './rate-limits.tsx';

type LimitKind = 'project' | 'custom' | 'unlimited';

export type Limits = { kind: LimitKind; rules: readonly Rule[] };

/**
 * Converts limits from the API. Null means the project's defaults, and an empty list means no
 * limits.
 */
export const limitsOf = (rules: readonly Rule[] | null): Limits => ({
  kind: rules === null ? 'project' : rules.length === 0 ? 'unlimited' : 'custom',
  rules: rules ?? [],
});

/**
 * Whether the user chose custom limits but has added no rules. Such limits can't be saved, because
 * the API would treat an empty list as no limits at all.
 */
export const needsRule = ({ kind, rules }: Limits): boolean =>
  kind === 'custom' && rules.length === 0;

/** Converts limits for the API. The list is only empty if the user chose "Unlimited". */
export function rulesOf(limits: Limits): Rule[] | null {
  if (limits.kind === 'unlimited') return [];
  return limits.kind === 'project' || needsRule(limits) ? null : [...limits.rules];
}

/** A rule as text, for pages that only show it. */
export const ruleText = ({ limit, window_ms, scope, algorithm }: Rule): string =>
  rateLimits.sentence({ limit, window: durationText(window_ms), scope, algorithm });
