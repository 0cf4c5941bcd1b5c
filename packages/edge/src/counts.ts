// Edge's counters, in the Prometheus text format. Their number is small and fixed, so a flood of
// unusual requests cannot create new time series.
import { metricText, type Sample, valueText } from '@keyrail/protocol/wire/metrics-text.ts';
import type { KeyrailState } from '@keyrail/sdk';

const STATUSES = [200, 400, 401, 403, 404, 429, 503] as const;

/** Counted only if Edge runs a relay. */
type RelayCounts = { heldPolls: number; upstreamRequests: number };

type Counts = {
  add(kind: 'auth' | 'verify', status: number): void;
  text(state: KeyrailState, relay: RelayCounts | null): string;
};

export function createCounts(): Counts {
  const auth = new Map<number, number>(STATUSES.map((status) => [status, 0]));
  const verify = new Map<number, number>(STATUSES.map((status) => [status, 0]));
  return {
    add(kind, status) {
      const counted = kind === 'auth' ? auth : verify;
      const before = counted.get(status);
      if (before !== undefined) counted.set(status, before + 1);
    },
    text: ({ version, keys, degraded, telemetry }, relay) =>
      [
        metricText(
          'keyrail_edge_requests_total',
          'Responses by kind of request and status.',
          Object.entries({ auth, verify }).flatMap(([kind, counted]) =>
            Array.from(counted, ([status, count]): Sample => [{ kind, status }, count]),
          ),
        ),
        valueText(
          'keyrail_edge_policy_version',
          'Policy version; 0 if there is none.',
          version ?? 0,
        ),
        valueText('keyrail_edge_policy_keys', 'Keys in the policy.', keys),
        valueText(
          'keyrail_edge_degraded',
          '1 if the policy is missing, stale or incomplete.',
          Number(degraded),
        ),
        valueText('keyrail_edge_telemetry_dropped_total', 'Events lost.', telemetry.dropped),
        ...(relay ? relayTexts(relay) : []),
      ].join(''),
  };
}

const relayTexts = ({ heldPolls, upstreamRequests }: RelayCounts): string[] => [
  valueText('keyrail_edge_relay_held_polls', 'Node polls waiting for a change.', heldPolls),
  valueText(
    'keyrail_edge_relay_upstream_requests_total',
    'Requests to the control plane.',
    upstreamRequests,
  ),
];
