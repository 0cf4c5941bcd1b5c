// The overall status is the worst of all components, except unknown and unconfigured ones.
import type { ComponentState } from '@keyrail/protocol/objects/probes.ts';

const severity: Record<ComponentState, number> = {
  not_configured: 0,
  unknown: 0,
  ok: 1,
  degraded: 2,
  down: 3,
};

export const overallOf = (states: readonly ComponentState[]): ComponentState =>
  states.reduce<ComponentState>(
    (worst, state) => (severity[state] > severity[worst] ? state : worst),
    'ok',
  );
