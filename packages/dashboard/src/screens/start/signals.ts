// The user's progress in the test environment. It is loaded from the server, so steps done
// elsewhere count, and users can leave the page and come back.
import type { Answer, Item } from '@keyrail/client';
import type { ListResult } from '../../api/query.ts';
import { useApi, useList } from '../../api/query.ts';

type Key = Item<'GET /v1/keys'>;
type Summary = Answer<'GET /v1/workspace/summary'>;

export type Signals = {
  /** The key for the last step: one that has been used, or else the newest working key. */
  key: Key | null;
  hasKey: boolean;
  nodes: number;
  hasNode: boolean;
  firstRequestAt: string | null;
  latencyMs: number | null;
  isRevoked: boolean;
};

const EVERY_MS = 2000;
const KEYS_READ = 20;
const HOURS_READ = 24;

type SignalsQuery = { data: Signals | undefined; error: Error | null; refetch(): unknown };

export function useSignals(): SignalsQuery {
  const everyMs = EVERY_MS;
  const summary = useApi('GET /v1/workspace/summary', { query: { env: 'test' } }, { everyMs });
  const keys = useList(
    'GET /v1/keys',
    { query: { env: 'test', include_revoked: true, limit: KEYS_READ } },
    { everyMs },
  );
  const hasRequest = typeof summary.data?.first_request_at === 'string';
  const traffic = useApi(
    'GET /v1/usage/overview',
    { query: { env: 'test', interval: 'hour', count: HOURS_READ } },
    { enabled: hasRequest, everyMs },
  );
  const latencyMs = traffic.data?.total.latency_ms?.p50 ?? null;
  return {
    data: signalsOf(summary.data, keys, latencyMs),
    error: summary.error ?? keys.error,
    refetch: () => Promise.all([summary.refetch(), keys.refetch()]),
  };
}

function signalsOf(
  summary: Summary | undefined,
  { pages }: ListResult<Key>,
  latencyMs: number | null,
): Signals | undefined {
  if (!summary || !pages) return undefined;
  const keys = pages.flat();
  const working = keys.filter((key) => key.revoked_at === null);
  const { nodes, first_request_at: firstRequestAt } = summary;
  const count = nodes.current + nodes.behind + nodes.silent;
  return {
    key: working.find((key) => key.last_used_at !== null) ?? working[0] ?? null,
    hasKey: keys.length > 0,
    nodes: nodes.connected,
    hasNode: count > 0 || firstRequestAt !== null,
    firstRequestAt,
    latencyMs,
    isRevoked: firstRequestAt !== null && keys.length > working.length,
  };
}
