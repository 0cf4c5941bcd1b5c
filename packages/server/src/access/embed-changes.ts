// How many changes one tenant makes through embed tokens in a minute. They are counted by tenant:
// a page can get a new token at any time. Each process has counters for this alone, or tenants
// could push out the counters that slow down guessing passwords.
import type { Clock } from '../base/clock.ts';
import type { Counters } from '../volatile/counters.ts';
import type { Principal } from './principal.ts';
import { chargesBy } from './throttle.ts';

/** Throws 429 for a change beyond the bound; calls without an embed token are not counted. */
export type ChargeEmbedChange = (principal: Principal) => void | Promise<void>;

export function embedChangesBy(clock: Clock, counters: Counters): ChargeEmbedChange {
  const { charge } = chargesBy(clock, counters);
  return (principal) => {
    if (principal.kind !== 'embed') return;
    const { workspaceId, tenantId } = principal.reach;
    return charge('embed', `${workspaceId} ${tenantId}`);
  };
}
