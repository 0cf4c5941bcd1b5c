// A test bed in which every part of the deployment has a spare: etcd and Patroni with two
// PostgreSQL members, a Redis Cluster with replicas, three APIs and two workers. Two front hosts
// each have an HAProxy and a PgBouncer.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@keyrail/testing/ports.ts';
import { openProxy, type Proxy as Wire } from '@keyrail/testing/processes/proxy.ts';
import type { Settings } from '@keyrail/testing/processes/server.ts';
import { programIsMissing } from '@keyrail/testing/stores/daemon.ts';
import { startEtcd } from '@keyrail/testing/stores/etcd.ts';
import { type Haproxy, startHaproxy } from '@keyrail/testing/stores/haproxy.ts';
import { startPatroni } from '@keyrail/testing/stores/patroni.ts';
import { type PgBouncer, startPgBouncer } from '@keyrail/testing/stores/pgbouncer.ts';
import { startReplicatedRedis } from '@keyrail/testing/stores/redis-replicas.ts';
import { answers } from '../recovery.ts';
import { type Bed, commonSettings } from './bed.ts';
import { type HaParts, haTrials } from './ha-trials.ts';
import { openProcess, type Process, type Program } from './processes.ts';

const HOSTS = 2;
const APIS = 3;
const WORKERS = 2;
const POOL_SIZE = 10;
/**
 * The maximum number of exit listeners. Each store adds one that removes its files, and by default,
 * Node.js prints a warning if there are more than ten.
 */
const LISTENERS_MAX = 50;

/** Why this machine can't run the bed, or false if it can. */
export const whyNoHaBed = (): string | false =>
  programIsMissing('etcd', 'patroni', 'haproxy', 'pgbouncer', 'redis-server');

type Closer = () => Promise<void>;

export async function openHaBed(): Promise<Bed> {
  const missing = whyNoHaBed();
  if (missing) throw new Error(missing);
  process.setMaxListeners(LISTENERS_MAX);
  const closers: Closer[] = [];
  const opened = async <T>(opening: Promise<T>, close: (part: T) => Promise<void>): Promise<T> => {
    const part = await opening;
    closers.unshift(() => close(part));
    return part;
  };
  const close = async () => {
    for (const each of closers.splice(0)) await each();
  };
  try {
    return await openParts(opened, close);
  } catch (error) {
    await close();
    throw error;
  }
}

type Opened = <T>(opening: Promise<T>, close: (part: T) => Promise<void>) => Promise<T>;

async function openParts(opened: Opened, close: Closer): Promise<Bed> {
  const remove = (path: string) => rm(path, { recursive: true, force: true });
  const scratch = await opened(mkdtemp(join(tmpdir(), 'kr-soak-')), remove);
  const mailDir = join(scratch, 'mail');
  const wireTo = (port: number): Promise<Wire> => opened(openProxy(port), (wire) => wire.close());
  // The proxies on each member's connections: to the other member, to etcd, and from the front
  // hosts.
  const memberWires: Wire[][] = [[], []];
  const wiring = async (n: number, port: number, kind: 'peer' | 'etcd') => {
    const wire = await wireTo(port);
    memberWires[n]?.push(wire);
    if (kind === 'peer') memberWires[1 - n]?.push(wire);
    return wire.port;
  };
  const etcd = await opened(startEtcd({ members: 3 }), (part) => part.close());
  const patroni = await opened(startPatroni({ etcd, wiring }), (part) => part.close());
  const servers: Server[] = [];
  for (const [n, { port, restPort }] of patroni.members.entries()) {
    const wires = [await wireTo(port), await wireTo(restPort)] as const;
    memberWires[n]?.push(...wires);
    servers.push({ port: wires[0].port, checkPort: wires[1].port });
  }
  const redis = await opened(startReplicatedRedis(), (part) => part.stop());
  const apiPorts = await Promise.all(Array.from({ length: APIS }, freePort));
  const apiWires = await Promise.all(apiPorts.map(wireTo));
  const hosts: Host[] = [];
  for (let n = 0; n < HOSTS; n += 1) hosts.push(await openHost(opened, { servers, apiWires }));
  const settings = ({ primary, pooler }: Address): Settings => ({
    ...commonSettings(mailDir),
    DATABASE_URL: `postgres://keyrail@127.0.0.1:${primary}/keyrail`,
    KEYRAIL_DATABASE_POOLER_URL: `postgres://keyrail@127.0.0.1:${pooler}/keyrail`,
    REDIS_URL: redis.url,
    KEYRAIL_REDIS_CLUSTER: 'on',
    KEYRAIL_DATA_DIR: join(scratch, 'data'),
  });
  const run = (program: Pick<Program, 'name' | 'command' | 'port'>, to: Address) =>
    opened(openProcess({ ...program, prefix: [], settings: settings(to) }), (one) => one.kill());
  const apis: Process[] = [];
  for (const [n, port] of apiPorts.entries()) {
    apis.push(await run({ name: `api ${n}`, command: 'api', port }, addressOf(hosts[n % HOSTS])));
  }
  const workerWires: Wire[] = [];
  const workers: Process[] = [];
  for (let n = 0; n < WORKERS; n += 1) {
    const { primary, pooler } = addressOf(hosts[n % HOSTS]);
    const wires = [await wireTo(primary), await wireTo(pooler)] as const;
    if (n === 0) workerWires.push(...wires);
    const through = { primary: wires[0].port, pooler: wires[1].port };
    workers.push(await run({ name: `worker ${n}`, command: 'worker', port: 0 }, through));
  }
  const parts = { etcd, patroni, memberWires, redis, hosts, apis, apiWires, workers, workerWires };
  return bedOf({ ...parts, mailDir, close });
}

type Server = { port: number; checkPort: number };

/** The ports on which a process reaches PostgreSQL: the primary, directly and through PgBouncer. */
type Address = { primary: number; pooler: number };

export type Host = Address & { haproxy: Haproxy; pgbouncer: PgBouncer; api: number };

const addressOf = (host: Host | undefined): Address => {
  if (!host) throw new Error('there is no such host');
  return host;
};

async function openHost(
  opened: Opened,
  { servers, apiWires }: { servers: Server[]; apiWires: Wire[] },
): Promise<Host> {
  const primary = await freePort();
  const replica = await freePort();
  const api = await freePort();
  const haproxy = await opened(
    startHaproxy([
      { name: 'primary', port: primary, mode: 'tcp', check: '/primary', servers },
      { name: 'replica', port: replica, mode: 'tcp', check: '/replica', servers },
      {
        name: 'api',
        port: api,
        mode: 'http',
        check: '/readyz',
        // While there is no database, no process is ready. Requests then go to any live process,
        // because its error is more helpful than HAProxy's.
        otherwise: '/healthz',
        servers: apiWires.map(({ port }) => ({ port, checkPort: port })),
      },
    ]),
    (part) => part.close(),
  );
  const opening = startPgBouncer({ port: primary }, { poolSize: POOL_SIZE });
  const pgbouncer = await opened(opening, (part) => part.stop());
  return { haproxy, pgbouncer, primary, api, pooler: pgbouncer.port };
}

function bedOf(parts: HaParts & { mailDir: string; close: Closer }): Bed {
  const { etcd, patroni, redis, hosts, apis, workers, mailDir, close } = parts;
  const urls = hosts.map(({ api }) => `http://127.0.0.1:${api}`);
  const losses: Bed['losses'] = [];
  const own = apis.map(({ port }) => `http://127.0.0.1:${port}`);
  return {
    name: 'ha',
    urls,
    mailDir,
    losses,
    skipped: [],
    faults: {},
    trials: haTrials(parts, losses),
    isWhole: async () => {
      const whole = [etcd.isWhole(), patroni.isWhole(), redis.isWhole()];
      return (await Promise.all([...whole, ...[...own, ...urls].map(answers)])).every(Boolean);
    },
    residentMiB: () =>
      Object.fromEntries([...apis, ...workers].map((one) => [one.name, one.residentMiB()])),
    close,
  };
}
