// The counters of an Edge, as plain text for a scraper. They are few and fixed, so that a flood of
// odd requests cannot add series.
import type { KeyrailState } from '@keyrail/sdk';

const STATUSES = [200, 400, 401, 403, 404, 429, 503] as const;

/** Of an Edge that is a relay. */
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
    text: ({ version, keys, degraded, telemetry }, relay) => {
      const lines = Object.entries({ auth, verify }).flatMap(([kind, counted]) =>
        Array.from(
          counted,
          ([status, count]) =>
            `keyrail_edge_requests_total{kind="${kind}",status="${status}"} ${count}`,
        ),
      );
      return [
        '# TYPE keyrail_edge_requests_total counter',
        ...lines,
        '# TYPE keyrail_edge_policy_version gauge',
        `keyrail_edge_policy_version ${version ?? 0}`,
        '# TYPE keyrail_edge_policy_keys gauge',
        `keyrail_edge_policy_keys ${keys}`,
        '# TYPE keyrail_edge_degraded gauge',
        `keyrail_edge_degraded ${degraded ? 1 : 0}`,
        '# TYPE keyrail_edge_telemetry_dropped_total counter',
        `keyrail_edge_telemetry_dropped_total ${telemetry.dropped}`,
        ...(relay ? relayLines(relay) : []),
        '',
      ].join('\n');
    },
  };
}

const relayLines = ({ heldPolls, upstreamRequests }: RelayCounts): string[] => [
  '# TYPE keyrail_edge_relay_held_polls gauge',
  `keyrail_edge_relay_held_polls ${heldPolls}`,
  '# TYPE keyrail_edge_relay_upstream_requests_total counter',
  `keyrail_edge_relay_upstream_requests_total ${upstreamRequests}`,
];
