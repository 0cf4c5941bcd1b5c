// What a deployment reports about itself: its public details, environments and probes, and the
// public halves of its signing keys. The liveness probe doesn't query the database, because a
// database outage must not cause restarts of the API.
import { deploymentEndpoints } from '@keyrail/protocol/endpoints/deployment.ts';
import { environmentEndpoints } from '@keyrail/protocol/endpoints/environments.ts';
import { probeEndpoints } from '@keyrail/protocol/endpoints/probes.ts';
import type { ComponentState } from '@keyrail/protocol/objects/probes.ts';
import { JWKS_MAX_AGE_SECONDS, READY_WAIT_MS } from '@keyrail/protocol/wire/limits.ts';
import { deadlineAfter } from '../../base/deadline.ts';
import { VERSION } from '../../base/version.ts';
import { wireTime } from '../../base/wire-time.ts';
import { allEnvs } from '../../doors/reach.ts';
import { pageOf } from '../../http/page.ts';
import { type Probe, Reply, type ServedRoute, serve } from '../../http/route.ts';
import type { SigningKeys } from '../../signing/keys.ts';
import type { StoreState } from '../../volatile/counters.ts';
import type { BackupSetup } from '../backups/backup-tasks.ts';
import { backupState } from '../backups/state.ts';
import { presentJwks } from './present.ts';

const JWKS_HEADERS = { 'cache-control': `public, max-age=${JWKS_MAX_AGE_SECONDS}` };

export type StatusParts = {
  region: string;
  publicUrl: string;
  passwordCharsMin: number;
  mail: { kind: 'file' | 'smtp' };
  redis: () => StoreState;
  signingKeys: SigningKeys;
  backup: Pick<BackupSetup, 'everyMs' | 'place'>;
};

/** Not stored, because there are always exactly two environments. */
export const environmentRoutes = serve(environmentEndpoints, {
  'GET /v1/environments': {
    boundary: 'shared',
    door: 'none',
    run: ({ query, after }) => {
      const names: readonly unknown[] = allEnvs;
      const begin = names.indexOf(after?.[0]) + 1;
      return pageOf(query.limit, {
        list: async (limit) => allEnvs.slice(begin, begin + limit),
        present: (name) => ({ object: 'environment' as const, name, billable: name === 'live' }),
        next: (name) => [name],
      });
    },
  },
});

/** Not stored, because these details come from settings. */
export const deploymentRoutes = (parts: StatusParts): ServedRoute[] =>
  serve(deploymentEndpoints, {
    'GET /v1/deployment': {
      boundary: 'none',
      door: 'none',
      run: () => ({
        object: 'deployment' as const,
        version: VERSION,
        region: parts.region,
        public_url: parts.publicUrl,
        password_min: parts.passwordCharsMin,
        mail: parts.mail.kind,
        backups: parts.backup.place,
      }),
    },
  });

export const probeRoutes = ({ region, redis, backup, signingKeys }: StatusParts): ServedRoute[] =>
  serve(probeEndpoints, {
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
        // These checks run in parallel, so that a frozen database costs one timeout, not two.
        const [database, isSeen, backups] = await Promise.all([
          databaseComponent(probe),
          probe.workerIsSeen(),
          probe.backupFacts(),
        ]);
        const components = {
          api: 'ok' as const,
          database,
          redis: redisComponent(redis()),
          worker: workerComponent(isSeen),
          backup: backupState(backups, backup.everyMs),
        };
        return {
          status: overallOf(Object.values(components)),
          components,
          restoreTest: {
            lastRunAt: backups?.testAt ? wireTime(backups.testAt) : null,
            pass: backups?.testPassed ?? null,
            backupId: backups?.testedBackup ?? null,
          },
        };
      },
    },
    'GET /.well-known/jwks.json': {
      boundary: 'none',
      door: 'none',
      run: async () =>
        new Reply(presentJwks(await signingKeys.published()), { headers: JWKS_HEADERS }),
    },
  });

const answers = (probe: Probe): Promise<boolean> =>
  probe.databaseAnswers(deadlineAfter(READY_WAIT_MS));

/** Degraded: the database responds, but rejects some writes for lack of disk space. */
const databaseComponent = async (probe: Probe) => {
  if (!(await answers(probe))) return 'down' as const;
  return probe.storage() === 'ok' ? ('ok' as const) : ('degraded' as const);
};

/** Null if no worker has ever been seen. */
const workerComponent = (isSeen: boolean | null) => {
  if (isSeen === null) return 'unknown' as const;
  return isSeen ? ('ok' as const) : ('down' as const);
};

/** Degraded: Redis works but reports a problem, for example that it may evict counters. */
const redisComponent = ({ configured, ready, error }: StoreState) => {
  if (!configured) return 'not_configured' as const;
  if (!ready) return 'down' as const;
  return error === null ? ('ok' as const) : ('degraded' as const);
};

const severity: Record<ComponentState, number> = {
  not_configured: 0,
  unknown: 0,
  ok: 1,
  degraded: 2,
  down: 3,
};

/** The worst of all component states, ignoring unknown and unconfigured ones. */
const overallOf = (states: readonly ComponentState[]): ComponentState =>
  states.reduce<ComponentState>(
    (worst, state) => (severity[state] > severity[worst] ? state : worst),
    'ok',
  );
