// Rate limits on the command line: `id=limit/window`, such as `burst=100/10s`, followed by `:fixed`
// or `:tenant` if the rule differs from the default, `:sliding:key`.
import type { Answer } from '@keyrail/client';
import { usage } from '../failures.ts';
import { spanMs, spanText } from '../times.ts';
import type { Given } from './given.ts';

export type RateLimit = NonNullable<Answer<'GET /v1/keys/{id}'>['rate_limits']>[number];

export const rateLimitOption = {
  flags: '--rate-limit <rule>',
  about: 'id=limit/window[:fixed][:tenant], as in burst=100/10s; repeatable',
  repeat: true,
} as const;

export function rateLimitOf(text: string): RateLimit {
  const [head = '', ...words] = text.split(':');
  const [, id = '', limit = '', window = ''] = /^([^=]+)=(\d+)\/(.+)$/.exec(head) ?? [];
  const windowMs = spanMs(window);
  const known = words.every((word) => ['sliding', 'fixed', 'key', 'tenant'].includes(word));
  if (windowMs === null || !known) {
    throw usage(`"${text}" isn't a valid rate limit. Use id=limit/window, as in burst=100/10s.`);
  }
  return {
    id,
    limit: Number(limit),
    window_ms: windowMs,
    algorithm: words.includes('fixed') ? 'fixed' : 'sliding',
    scope: words.includes('tenant') ? 'tenant' : 'key',
  };
}

export const rateLimitText = (rule: RateLimit): string =>
  `${rule.id}=${rule.limit}/${spanText(rule.window_ms)}:${rule.algorithm}:${rule.scope}`;

export const rateLimitTexts = (rules: readonly RateLimit[]): string =>
  rules.map(rateLimitText).join('  ');

/**
 * Reads a key's limits. Undefined leaves them unchanged, null applies the project's default, and []
 * means none.
 */
export function keyLimitsOf(given: Given): RateLimit[] | null | undefined {
  const rules = given.list('rateLimit');
  const used = [rules !== undefined, given.flag('unlimited'), given.flag('projectLimits')];
  if (used.filter(Boolean).length > 1) {
    throw usage('Use only one of --rate-limit, --unlimited and --project-limits.');
  }
  if (given.flag('unlimited')) return [];
  return given.flag('projectLimits') ? null : rules?.map(rateLimitOf);
}
