// What a change would affect, as `--dry-run` prints it and as a confirmation begins.
import type { Impact } from '@keyrail/client';
import { IMPACT_KEYS_MAX } from '@keyrail/protocol/wire/limits.ts';
import type { Field } from './fields.ts';

const number = (count: number): string => count.toLocaleString('en');

/** The server counts up to a bound, and then says one more. */
const keysText = ({ keys }: Impact): string =>
  keys > IMPACT_KEYS_MAX ? `more than ${number(IMPACT_KEYS_MAX)}` : number(keys);

export const impactFields: readonly Field<Impact>[] = [
  { title: 'action', of: (impact) => impact.action },
  { title: 'target', of: (impact) => impact.target_id },
  { title: 'keys', of: keysText },
  { title: 'active keys', of: (impact) => number(impact.active_keys) },
  { title: 'tenants', of: (impact) => number(impact.tenants) },
  { title: 'requests, 24 h', of: (impact) => number(impact.requests_24h) },
  { title: 'requests, 7 days', of: (impact) => number(impact.requests_7d) },
  { title: 'last used', of: (impact, format) => format.time(impact.last_used_at) },
  { title: 'nodes', of: (impact) => number(impact.nodes) },
  { title: 'scopes removed', of: (impact) => impact.scopes_removed.join(' '), ifAny: true },
];

/** One sentence for each figure that is not zero. */
export function impactText(impact: Impact): string {
  if (impact.keys === 0) return 'No key would change.';
  const figures = [
    `Keys: ${keysText(impact)}, active now: ${number(impact.active_keys)}.`,
    impact.tenants > 0 && `Tenants: ${number(impact.tenants)}.`,
    impact.requests_7d > 0 &&
      `Requests: ${number(impact.requests_24h)} in 24 hours, ${number(impact.requests_7d)} in 7 days.`,
    `Last used: ${impact.last_used_at ?? 'never'}.`,
    impact.nodes > 0 && `Nodes: ${number(impact.nodes)}.`,
  ];
  return figures.filter((figure) => figure !== false).join(' ');
}
