// Turns planned changes into impact objects.
import type { Impact } from '@keyrail/protocol/objects/impact.ts';
import { DAY_MS } from '../../base/duration.ts';
import { wireTimeOrNull } from '../../base/wire-time.ts';
import { targetTypeOf } from '../../doors/actions.ts';
import type { Foreseen } from '../../doors/plan.ts';
import type { Measured } from './measure-impact.ts';

export function presentImpact(
  { action, target, scopesRemoved = [] }: Foreseen,
  measured: Measured,
  now: Date,
): Impact {
  const since = (whole: number, first: number): number =>
    Math.round(whole) + Math.ceil(first * shareOfFirstDay(now));
  return {
    object: 'impact',
    action,
    target_type: targetTypeOf(action),
    target_id: target,
    keys: measured.keys,
    capped: measured.isCapped,
    active_keys: measured.activeKeys,
    tenants: measured.tenantIds.size,
    requests_24h: since(measured.today, measured.yesterday),
    requests_7d: since(measured.week, measured.beforeWeek),
    last_used_at: wireTimeOrNull(measured.lastUsedAt),
    nodes: measured.nodes,
    nodes_unable: measured.unableNodes,
    scopes_removed: [...scopesRemoved],
  };
}

/**
 * Telemetry is stored per day, so a period that ends now includes this fraction of its first day.
 */
const shareOfFirstDay = (now: Date): number => 1 - (now.getTime() % DAY_MS) / DAY_MS;
