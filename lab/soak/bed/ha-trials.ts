// The faults for a deployment with spares: each part is killed once, frozen once and cut off once.
// Parts that only forward or vote are not cut off, because to the other parts, that would look the
// same as a freeze.
import type { Proxy as Wire } from '@keyrail/testing/processes/proxy.ts';
import type { Etcd } from '@keyrail/testing/stores/etcd.ts';
import type { Haproxy } from '@keyrail/testing/stores/haproxy.ts';
import type { Member, Patroni } from '@keyrail/testing/stores/patroni.ts';
import type { PgBouncer } from '@keyrail/testing/stores/pgbouncer.ts';
import type { RedisServer } from '@keyrail/testing/stores/redis.ts';
import type { ReplicatedRedis } from '@keyrail/testing/stores/redis-replicas.ts';
import type { Span } from '../history.ts';
import type { Trial } from './bed.ts';
import type { Process } from './processes.ts';

export type HaParts = {
  etcd: Etcd;
  patroni: Patroni;
  /** For each PostgreSQL member, the proxies on its connections. */
  memberWires: Wire[][];
  redis: ReplicatedRedis;
  hosts: { haproxy: Haproxy; pgbouncer: PgBouncer; api: number }[];
  apis: Process[];
  apiWires: Wire[];
  workers: Process[];
  /** The proxies between the first worker and its databases. */
  workerWires: Wire[];
};

type Part = {
  kill(): Promise<void>;
  start(): Promise<void>;
  freeze(): void;
  thaw(): void;
  wires?: readonly Wire[];
};

type Signalled = { signal(name: NodeJS.Signals): void };

const frozenBySignal = (part: Signalled) => ({
  freeze: () => part.signal('SIGSTOP'),
  thaw: () => part.signal('SIGCONT'),
});

/**
 * Returns a trial for each way in which a part can fail. The instance that fails is chosen when the
 * fault begins.
 */
function trialsOf(part: string, choose: () => Promise<Part>, isCut: boolean): Trial[] {
  const plug = ({ wires = [] }: Part, isUnplugged: boolean) => {
    for (const wire of wires) wire.unplug(isUnplugged);
  };
  const trials: Trial[] = [
    {
      part,
      fault: 'killed',
      begin: async () => {
        const chosen = await choose();
        await chosen.kill();
        return chosen.start;
      },
    },
    {
      part,
      fault: 'frozen',
      begin: async () => {
        const chosen = await choose();
        chosen.freeze();
        return async () => chosen.thaw();
      },
    },
    {
      part,
      fault: 'cut off',
      begin: async () => {
        const chosen = await choose();
        plug(chosen, true);
        return async () => plug(chosen, false);
      },
    },
  ];
  return trials.filter(({ fault }) => isCut || fault !== 'cut off');
}

/**
 * Records the period in which counters may be lost: from the start of the fault until the part is
 * running again.
 */
const losingCounters = (trials: Trial[], losses: Span[]): Trial[] =>
  trials.map((trial) => ({
    ...trial,
    begin: async () => {
      const span = { t0: performance.now(), t1: Number.POSITIVE_INFINITY };
      losses.push(span);
      const end = await trial.begin();
      return async () => {
        await end();
        span.t1 = performance.now();
      };
    },
  }));

export function haTrials(parts: HaParts, losses: Span[]): Trial[] {
  const { etcd, patroni, memberWires, redis, hosts, apis, apiWires, workers, workerWires } = parts;
  const member = async (chosen: Promise<Member>): Promise<Part> => {
    const one = await chosen;
    return { ...one, wires: memberWires[patroni.members.indexOf(one)] ?? [] };
  };
  const first = <T>(all: readonly T[]): T => {
    const [one] = all;
    if (one === undefined) throw new Error('this bed has no such part');
    return one;
  };
  const running = (one: Process, wires: readonly Wire[]): Part => ({
    kill: one.kill,
    start: () => one.start(),
    ...frozenBySignal(one),
    wires,
  });
  const { haproxy, pgbouncer } = first(hosts);
  const forwarding = async (part: Signalled & Pick<Part, 'kill' | 'start'>): Promise<Part> => ({
    ...part,
    ...frozenBySignal(part),
  });
  const pooler = { ...pgbouncer, kill: pgbouncer.crash, start: pgbouncer.restart };
  const busiest = async (): Promise<Part> => {
    const one = await busiestMaster(redis);
    return { kill: one.crash, start: one.restart, freeze: one.freeze, thaw: one.thaw };
  };
  return [
    ...trialsOf('PostgreSQL primary', () => member(patroni.primary()), true),
    ...trialsOf('PostgreSQL replica', () => member(patroni.replica()), true),
    ...trialsOf('etcd leader', async () => forwarding(await etcd.leader()), false),
    ...trialsOf('PgBouncer', () => forwarding(pooler), false),
    ...trialsOf('HAProxy', () => forwarding(haproxy), false),
    ...losingCounters(trialsOf('Redis master', busiest, false), losses),
    ...trialsOf('API process', async () => running(first(apis), [first(apiWires)]), true),
    ...trialsOf('worker', async () => running(first(workers), workerWires), true),
  ];
}

/** Finds the Redis master with the most counters, where a loss is most likely to be noticed. */
async function busiestMaster(redis: ReplicatedRedis): Promise<RedisServer> {
  const masters = await redis.masters();
  const sizes = await Promise.all(masters.map(async (one) => Number(await one.tell('DBSIZE'))));
  const chosen = masters[sizes.indexOf(Math.max(...sizes))];
  if (!chosen) throw new Error('no master is responding');
  return chosen;
}
