// Rate limits on the command line: `id=limit/window`, as in `burst=100/10s`, and further
// `:fixed` or `:tenant` where they differ from the usual `:sliding:key`.
import { usage } from './faults.ts';
import { spanMs, spanText } from './times.ts';

export type RateLimit = {
  id: string;
  limit: number;
  window_ms: number;
  algorithm: 'sliding' | 'fixed';
  scope: 'key' | 'tenant';
};

export const rateLimitOption = {
  flags: '--rate-limit <rule>',
  about: 'id=limit/window[:fixed][:tenant], as in burst=100/10s; may be repeated',
  repeat: true,
} as const;

export function rateLimitOf(text: string): RateLimit {
  const [head = '', ...words] = text.split(':');
  const [, id = '', limit = '', window = ''] = /^([^=]+)=(\d+)\/(.+)$/.exec(head) ?? [];
  const windowMs = spanMs(window);
  const known = words.every((word) => ['sliding', 'fixed', 'key', 'tenant'].includes(word));
  if (windowMs === null || !known) {
    throw usage(`"${text}" is no rate limit: write id=limit/window, as in burst=100/10s`);
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
