// Probes. Liveness touches nothing, so that an outage of the database does not restart the API.
import { probeEndpoints } from '@keyrail/protocol/endpoints/probes.ts';
import { READY_WAIT_MS } from '@keyrail/protocol/limits.ts';
import { deadlineAfter } from '../../base/deadline.ts';
import { type Probe, Reply, type ServedRoute, serve } from '../../http/route.ts';
import { overallOf } from './overall.ts';

const { 'GET /.well-known/jwks.json': _jwks, ...healthEndpoints } = probeEndpoints;

export type RedisState = { configured: boolean; ready: boolean; error: string | null };

export type HealthParts = { region: string; redis: () => RedisState };

export const healthRoutes = ({ region, redis }: HealthParts): ServedRoute[] =>
  serve(healthEndpoints, {
    'GET /healthz': {
      boundary: 'none',
      door: 'none',
      run: () => ({ status: 'ok' as const, region, redis: redis() }),
    },
    'GET /readyz': {
      boundary: 'none',
      door: 'probe',
      run: async ({ probe }) =>
        (await answers(probe))
          ? { status: 'ok' as const, region, database: 'ok' as const, redis: redis() }
          : new Reply(
              { status: 'unavailable', region, database: 'unavailable', redis: redis() },
              { status: 503 },
            ),
    },
    'GET /status': {
      boundary: 'none',
      door: 'probe',
      run: async ({ probe }) => {
        const components = {
          api: 'ok' as const,
          database: (await answers(probe)) ? ('ok' as const) : ('down' as const),
          redis: redisComponent(redis()),
          // Nothing has reported yet: neither part exists so far.
          worker: 'unknown' as const,
          backup: 'unknown' as const,
        };
        return {
          status: overallOf(Object.values(components)),
          components,
          restoreTest: { lastRunAt: null, pass: null, backupId: null },
        };
      },
    },
  });

const answers = (probe: Probe): Promise<boolean> =>
  probe.databaseAnswers(deadlineAfter(READY_WAIT_MS));

const redisComponent = ({ configured, ready }: RedisState) => {
  if (!configured) return 'not_configured' as const;
  return ready ? ('ok' as const) : ('down' as const);
};
