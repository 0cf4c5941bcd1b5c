// Limits how many changes per minute one tenant can make with embed tokens. Changes are counted per
// tenant, because a page can get a new token at any time. Tenants have a separate set of counters;
// otherwise they could evict the counters that slow down password guessing.
import type { Clock } from '../base/clock.ts';
import type { Counters } from '../volatile/counters.ts';
import type { Principal } from './principal.ts';
import { createCharges } from './throttle.ts';

/** Throws 429 for a change above the limit. Callers without an embed token are not limited. */
export type ChargeEmbedChange = (principal: Principal) => void | Promise<void>;

export function createEmbedChangeLimit(clock: Clock, counters: Counters): ChargeEmbedChange {
  const { charge } = createCharges(clock, counters);
  return (principal) => {
    if (principal.kind !== 'embed') return;
    const { workspaceId, tenantId } = principal.reach;
    return charge('embed', `${workspaceId} ${tenantId}`);
  };
}
