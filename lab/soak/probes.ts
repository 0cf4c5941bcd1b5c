// Probes a deployment from outside: a write, a read and a rate-limit check several times a second.
// A probe tries each address once, as a client of a deployment with two front hosts would.
import { randomUUID } from 'node:crypto';
import { isOk } from './history.ts';
import { type Asked, send, type World } from './world.ts';

export type Probe = {
  kind: 'write' | 'read' | 'check';
  t0: number;
  t1: number;
  isServed: boolean;
};

export type Probes = {
  /** Completed probes that were sent after a given moment. */
  since(moment: number): Probe[];
  /** Whether every kind of probe has succeeded at least once since a given moment. */
  isServedSince(moment: number): boolean;
  /** The time since the last failure. */
  quietMs(): number;
  stop(): Promise<void>;
};

const EVERY_MS = 250;
/** The timeout for each address. A frozen address therefore delays a probe by this long. */
const TRY_MS_MAX = 2_000;
const LIMIT = 1_000_000;

const KINDS = ['write', 'read', 'check'] as const;

const asking: Record<Probe['kind'], (world: World) => Asked> = {
  write: (world) => ({
    kind: 'tenant.create',
    args: { external_id: world.fresh() },
    method: 'POST',
    path: '/v1/tenants',
    body: { external_id: `probe-${world.fresh()}` },
  }),
  read: ({ projectId }) => ({ kind: 'project.read', path: `/v1/projects/${projectId}` }),
  // Each rate-limit check uses a different key, so that the checks reach every master of a Redis
  // Cluster.
  check: ({ projectId }) => ({
    kind: 'probe.check',
    method: 'POST',
    path: '/v1/ratelimit/check',
    body: {
      project_id: projectId,
      env: 'live',
      key_id: randomUUID(),
      tenant_id: null,
      limits: [{ id: 'p', limit: LIMIT, window_ms: 1_000, algorithm: 'fixed', scope: 'key' }],
    },
  }),
};

export function startProbes(world: World): Probes {
  const ended: Probe[] = [];
  const running = new Set<Promise<void>>();
  let lastFailure = performance.now();
  const probe = async (kind: Probe['kind']): Promise<void> => {
    const t0 = performance.now();
    let isServed = false;
    for (let at = 0; at < world.urls.length && !isServed; at += 1) {
      const asked = { ...asking[kind](world), at, timeoutMs: TRY_MS_MAX };
      isServed = isOk(await send(world, 'probe', asked));
    }
    const t1 = performance.now();
    if (!isServed) lastFailure = t1;
    ended.push({ kind, t0, t1, isServed });
  };
  const timer = setInterval(() => {
    for (const kind of KINDS) {
      const one: Promise<void> = probe(kind).finally(() => running.delete(one));
      running.add(one);
    }
  }, EVERY_MS);
  const since = (moment: number) => ended.filter(({ t0 }) => t0 >= moment);
  return {
    since,
    isServedSince: (moment) => {
      const served = new Set(since(moment).flatMap((one) => (one.isServed ? [one.kind] : [])));
      return served.size === KINDS.length;
    },
    quietMs: () => performance.now() - lastFailure,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}
