// Prints what a change would affect, for `--dry-run` and before a confirmation.
import type { Impact } from '@keyrail/client';
import { cappedCount } from '@keyrail/protocol/wire/capped-count.ts';
import type { Field } from './fields.ts';

export const impactFields: readonly Field<Impact>[] = [
  { title: 'action', of: (impact) => impact.action },
  { title: 'target', of: (impact) => impact.target_id },
  { title: 'keys', of: (impact) => cappedCount(impact.keys, impact) },
  { title: 'active keys', of: (impact) => cappedCount(impact.active_keys, impact) },
  { title: 'tenants', of: (impact) => cappedCount(impact.tenants, impact) },
  { title: 'requests, 24 h', of: (impact) => cappedCount(impact.requests_24h, impact) },
  { title: 'requests, 7 days', of: (impact) => cappedCount(impact.requests_7d, impact) },
  {
    title: 'last used',
    of: (impact, format) => lastUsed(impact, format.time(impact.last_used_at)),
  },
  { title: 'nodes', of: (impact) => cappedCount(impact.nodes, impact) },
  {
    title: 'nodes unable',
    of: (impact) => (impact.nodes_unable > 0 ? cappedCount(impact.nodes_unable, impact) : ''),
    ifAny: true,
  },
  { title: 'scopes removed', of: (impact) => impact.scopes_removed.join(' '), ifAny: true },
];

/**
 * Describes an impact, with one sentence for each number. Most numbers are left out if they are
 * zero.
 */
export function impactText(impact: Impact): string {
  const { keys, tenants, nodes, nodes_unable: unable, capped } = impact;
  if (keys === 0 && !capped) return 'No keys would change.';
  const text = (count: number) => cappedCount(count, impact);
  const figures = [
    `Keys: ${text(keys)}, active now: ${text(impact.active_keys)}.`,
    tenants > 0 && `Tenants: ${text(tenants)}.`,
    (capped || impact.requests_7d > 0) &&
      `Requests: ${text(impact.requests_24h)} in 24 hours, ${text(impact.requests_7d)} in 7 days.`,
    `Last used: ${lastUsed(impact, impact.last_used_at) ?? 'never'}.`,
    nodes > 0 && `Nodes: ${text(nodes)}.`,
    unable > 0 &&
      `${text(unable)} of them would reject the key, because they cannot enforce what it would require.`,
  ];
  return figures.filter((figure) => figure !== false).join(' ');
}

/**
 * Formats when the affected keys were last used. If only some of them were counted, the others may
 * have been used more recently.
 */
function lastUsed({ capped }: Impact, time: string | null): string | null {
  if (!capped) return time;
  return time === null ? 'unknown' : `${time} or later`;
}
